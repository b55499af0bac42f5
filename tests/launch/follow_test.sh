#!/bin/bash
# --schedule=continuous_eval during a training run, and killed three times on the way: each saved checkpoint has one
# line, equal to the last digit to the result of --schedule=evaluate on other numbers of ranks.
#
#   LOCKSTEP_BUILD_DIR=build tests/launch/follow_test.sh
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/expect.sh"
read -ra two <<<"$(mpi 2)"
run=$folder/run
steps=120
training=("$(train)" --model=linear --global_batch_size=64 --save_checkpoints_steps=10 --local_eval_frequency=0
  --keep_checkpoint_max=0 --log_every=0 --output_dir="$run")
following=("${two[@]}" "$(train)" --schedule=continuous_eval --output_dir="$run")
lines() {
  local count
  count=$(grep -c '"kind": "eval"' "$run/eval/metrics.jsonl" 2>/dev/null)
  echo "${count:-0}"
}

# The evaluator starts before the run has made its folder, and is killed after 2, 5 and 8 lines.
follow_until() { # LINES: start an evaluator, and kill it when there are that many
  local end=$((SECONDS + 90))
  setsid "${following[@]}" >/dev/null 2>"$folder/follow" </dev/null &
  started=$!
  until (($(lines) >= $1)); do
    ((SECONDS < end)) || {
      complain "there are $(lines) lines, not $1: $(tail -n 3 "$folder/follow")"
      break
    }
    sleep 0.05
  done
  end_session "$started"
  started=""
}

wait_until_it_follows() { # LOG
  local tenths=600
  until grep -q 'evaluating the checkpoints' "$1" 2>/dev/null; do
    ((tenths-- > 0)) || {
      complain "an evaluator does not begin to follow: $(cat "$1")"
      return
    }
    sleep 0.1
  done
}

# The training is slow enough to be followed, one save after the other.
train_on() {
  local step
  for ((step = 30; step <= steps; step += 30)); do
    "${training[@]}" --train_steps="$step" >/dev/null 2>>"$folder/train" || echo "training ended with $?" >>"$folder/train"
  done
}
train_on &
trainer=$!
for count in 2 5 8; do follow_until "$count"; done
wait "$trainer"
grep -q 'training ended with' "$folder/train" && complain "$(cat "$folder/train")"
expect 0 60 '*the training has finished*' "${following[@]}"

((($(lines)) == steps / 10)) || complain "$(lines) lines for $((steps / 10)) checkpoints"
for ((step = 10; step <= steps; step += 10)); do
  (($(grep -c "\"step\": $step, " "$run/eval/metrics.jsonl") == 1)) || complain "not one line of step $step"
done
# The results of an evaluator by itself are the same, except for the time.
for ranks in 1 3 5; do
  read -ra launch <<<"$(mpi $ranks)"
  step=$((ranks * 20))
  expect 0 60 '* step * accuracy *' "${launch[@]}" "$(train)" --schedule=evaluate --checkpoint_path="$run/model.ckpt-$step.h5"
  line=$(grep "\"step\": $step, " "$run/eval/metrics.jsonl" | sed 's/"wall_seconds": [^,]*, //')
  [[ $line == "$(cat "$folder/out")" ]] || complain "np $ranks finds $(cat "$folder/out"), the evaluator wrote $line"
done

# If all is evaluated already, nothing is added. A checkpoint that is written again is evaluated again.
expect 0 60 '*0 checkpoints evaluated: the training has finished*' "${following[@]}"
before=$(grep '"step": 120, ' "$run/eval/metrics.jsonl")
rm "$run/model.ckpt-120.h5"
"${training[@]}" --train_steps=120 --resume=previous --allow_changes=learning_rate --hparams=learning_rate=0.01 \
  >/dev/null 2>"$folder/err" || complain "step 120 is not written again"
expect 0 60 '*1 checkpoint evaluated*' "${following[@]}"
after=$(grep '"step": 120, ' "$run/eval/metrics.jsonl")
[[ $(wc -l <<<"$after") == 1 && $after != "$before" ]] || complain "what step 120 came to: $after"

# Checkpoints that the run has removed before their turn: reported and counted once, over two starts.
missed=$folder/missed
"$(train)" --model=linear --train_steps=50 --save_checkpoints_steps=10 --local_eval_frequency=0 --keep_checkpoint_max=2 \
  --output_dir="$missed" >/dev/null 2>"$folder/err" || complain "the training that keeps two"
expect 0 60 '*2 checkpoints evaluated, 3 missed: the training has finished*' \
  "$(train)" --schedule=continuous_eval --output_dir="$missed"
grep -q ' W\] 3 checkpoints were removed before their turn: steps 10, 20, 30; .*--keep_checkpoint_max' "$folder/err" ||
  complain "no warning of what was missed"
expect 0 60 '*0 checkpoints evaluated: the training has finished*' "$(train)" --schedule=continuous_eval --output_dir="$missed"
grep -q ' W\] ' "$folder/err" && complain "what was missed is said again"
grep -q '2 evaluations, 3 missed, in ' "$folder/err" || complain "what was missed is forgotten"
[[ $(grep -o '"kind": "[a-z]*", "step": [0-9]*' "$missed/eval/metrics.jsonl" | tr -d '"' | tr '\n' ' ') == \
  "kind: event, step: 10 kind: event, step: 20 kind: event, step: 30 kind: eval, step: 40 kind: eval, step: 50 " ]] ||
  complain "the lines of what was missed: $(cat "$missed/eval/metrics.jsonl")"
[[ $("$LOCKSTEP_BUILD_DIR/lockstep" report "$missed" --format=json) == *'"lines_left_out": 0'* ]] ||
  complain "the report does not understand them"

# A run that was resumed with other hyperparameters is evaluated with these from then on.
"$(train)" --model=mlp --train_steps=10 --save_checkpoints_steps=10 --output_dir="$folder/changed" >/dev/null \
  2>"$folder/err" || complain "the training to be changed"
"$(train)" --model=mlp --train_steps=20 --save_checkpoints_steps=10 --output_dir="$folder/changed" \
  --hparams=activation=tanh --allow_changes=activation >/dev/null 2>"$folder/err" || complain "the changed training"
expect 0 60 '*2 checkpoints evaluated*' "$(train)" --schedule=continuous_eval --output_dir="$folder/changed"
expect 0 60 '* step * accuracy *' "$(train)" --schedule=evaluate --output_dir="$folder/changed"
line=$(grep '"step": 20, ' "$folder/changed/eval/metrics.jsonl" | sed 's/"wall_seconds": [^,]*, //')
[[ $line == "$(cat "$folder/out")" ]] || complain "evaluate finds $(cat "$folder/out"), the evaluator wrote $line"

# An evaluator asked to stop while it waits succeeds; so does one that finds nothing new within its time limit.
rm -rf "$run"
mkdir "$run"
setsid "${following[@]}" >/dev/null 2>"$folder/err" </dev/null &
started=$!
wait_until_it_follows "$folder/err"
ranks=$(pgrep -s "$started" -x train)
while kill -0 "$started" 2>/dev/null; do  # repeatedly, also while they are ending
  for rank in $ranks; do kill -USR1 "$rank" 2>/dev/null; done
  sleep 0.02
done
code=0
wait "$started" || code=$?
started=""
[[ $code == 0 ]] || complain "asked to stop, it ends with $code"
expect 0 60 '*there was no new one for --eval_timeout_mins=0*' "${following[@]}" --eval_timeout_mins=0

# Only one evaluator at a time.
setsid "${following[@]}" >/dev/null 2>"$folder/first" </dev/null &
first=$!
trap 'end_session "$first"; clean_up' EXIT
wait_until_it_follows "$folder/first"
expect 78 60 '* E\] *eval is in use by process*' "${following[@]}"
exit $failed
