#!/bin/bash
# Messages of a start, and its output for the next one: the warning about another number of ranks, whose cure works as
# written; hosts of the job that have no rank; config.json, which repeats the run but not the start; the start and end
# lines of metrics.jsonl; commands to continue with.
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/expect.sh"

slow=40
[[ -z ${LOCKSTEP_SANITIZE:-} ]] || slow=60
small="--model=linear --hparams=batch_size=16"
run="$folder/run"

# shellcheck disable=SC2046,SC2086
expect 0 $slow "*trained 20 steps*" $(mpi 2) "$(train)" $small --train_steps=20 --output_dir="$run"
says 'r0/2 I\] or .kill -USR1 [0-9]+., after which'
cp -r "$run" "$folder/copy"
# shellcheck disable=SC2086
{
  expect 0 $slow "*r0/1 W*saved by 2 ranks, resumed on 1 rank: global batch 32 -> 16, steps per epoch * -> *; --global_batch_size=32 --allow_changes=global_batch_size would keep the batch" \
    "$(train)" $small --train_steps=40 --output_dir="$folder/copy"
  expect 0 $slow "*--allow_changes: global_batch_size was * and is '32' from here on*" \
    "$(train)" $small --train_steps=40 --output_dir="$run" --global_batch_size=32 --allow_changes=global_batch_size
}
! grep -q ' ranks saved it' "$folder/err" || complain "a warning, although the batch is kept"

# Hosts that the scheduler gave the job, but on which an mpirun without support for it starts nothing.
here=$(uname -n)
printf '%s 2 all.q UNDEFINED\n' "$here" no-such-host >"$folder/pe_hostfile"
# shellcheck disable=SC2046,SC2086
expect 0 $slow "*r0/2 W*no rank runs on no-such-host, which PE_HOSTFILE gives this job; all run on $here: an mpirun without support for Grid Engine *" \
  env PE_HOSTFILE="$folder/pe_hostfile" $(mpi 2) "$(train)" $small --train_steps=2
# shellcheck disable=SC2086
expect 0 $slow "*r0/1 W*no rank runs on no-such-host, which SLURM_JOB_NODELIST gives this job; *ompi_info | grep slurm *" \
  env SLURM_JOB_NODELIST="$here,no-such-host" "$(train)" $small --train_steps=2

# One line for each start, and the result in the end line.
lines() { grep -c "$1" "$folder/copy/metrics.jsonl"; }
[[ $(lines '"kind": "start", "step": 0, .*"ranks": 2, "global_batch": 32, .*"train_steps": 20, "seed": 1,') == 1 ]] ||
  complain "no start line of the first start"
[[ $(lines '"kind": "start", "step": 20, .*"ranks": 1, "global_batch": 16, .*"batch_size": 16[,}]') == 1 ]] ||
  complain "no start line of the second start"
[[ $(lines '"kind": "end", "step": 40, .*"evaluation": {"step": 40, "split": "dev", "loss": ') == 1 ]] ||
  complain "the end line has no evaluation"

# If the run has passed the requested steps already, no epochs are printed, as they would be another run's.
# shellcheck disable=SC2086
expect 0 $slow "*global batch 16; * steps per epoch, 10 steps" "$(train)" $small --train_steps=10 --output_dir="$folder/copy"

# A frequency that is raised is reported, once.
# shellcheck disable=SC2046,SC2086
expect 0 $slow "*r0/2 I\] --local_eval_frequency=40 counts as 100, the least there is" \
  $(mpi 2) "$(train)" $small --train_steps=1 --local_eval_frequency=40
says 'r0/2 W\] no --output_dir: nothing is written, and the model is lost at the end'
never_says 'kill -USR1'

# config.json of a start that was ended by --stop_after.
# shellcheck disable=SC2086
expect 75 $slow "*stopped after *: saved;*" "$(train)" $small --train_steps=1000000 --local_eval_frequency=0 --stop_after=1s --output_dir="$folder/stopped"
config="$folder/stopped/config.json"
grep -q '^  "start": {"version":"[0-9.]*","ranks":1,"global_batch":16},$' "$config" || complain "config.json has no note of its start"
! grep -q stop_after "$config" || complain "config.json keeps --stop_after"
[[ $(grep -c '"train_steps": 1000000' "$config") == $(grep -c '"train_steps"' "$config") ]] || complain "config.json contradicts itself about train_steps"
expect 0 $slow "*trained 5 steps*" "$(train)" --config="$config" --output_dir="$folder/repeated" --train_steps=5
expect 0 $slow "*--config=*/stopped/config.json names --output_dir=*/stopped: the run there goes on; for a new run give another --output_dir*" \
  "$(train)" --config="$config" --train_steps=5

# A problem that the default model does not fit has its own default model.
expect 0 $slow "*model transformer (the default for this problem): *" \
  "$(train)" --problem=algorithmic_reverse_binary40 --hparams_set=transformer_test --train_steps=1 --eval_steps=1

# Commands in the last lines work as written, also in a folder with an odd name.
named="$folder/it's a run"
# shellcheck disable=SC2086
expect 0 $slow "*trained 20 steps*" "$(train)" $small --train_steps=20 --output_dir="$named"
mapfile -t offered < <(sed -n 's/^\[[^]]*\] *\(next\|or\): //p' "$folder/err")
((${#offered[@]} == 2)) || complain "the last lines offer ${#offered[@]} commands"
for command in "${offered[@]}"; do
  timeout -k 5 $slow bash -c "$command" >"$folder/out" 2>"$folder/err" </dev/null || complain "$command: exit code $?"
done
[[ -s "$named/report.html" ]] || complain "no report"
grep -q '^{"kind": "eval", "step": 20, ' "$folder/out" || complain "no evaluation: $(cat "$folder/out")"
exit $failed
