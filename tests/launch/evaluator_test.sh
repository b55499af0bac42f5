#!/bin/bash
# An evaluator task in the same job as the training: it evaluates the saved checkpoints, and neither its end nor its
# failure ends the training; but an error that ends the training ends it, too.
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/expect.sh"
# shellcheck source=tests/launch/tasks.sh
source "$(dirname "$0")/tasks.sh"

slow=60
program="$(faulty_train)"  # with fault_step=0 the fault is in an evaluation
cluster='{"chief": ["localhost:2222"], "worker": ["localhost:2223"]}'
run="$folder/run"
every="--model=mlp_faulty --global_batch_size=32 --schedule=train --save_checkpoints_steps=2 --output_dir=$run"

# job_with FLAGS...: describes processes 0 to 3: the chief with these flags, the worker, and two ranks of an evaluator.
job_with() {
  rm -rf "$run"
  tasks "$cluster" chief 0 "$every $*" worker 0 "" evaluator 0 --worker_gpu=2 evaluator 0 --worker_gpu=2
}
saved() { [[ -e $run/model.ckpt-$1.h5 ]] || complain "$2: step $1 is not saved"; }

job_with --train_steps=6
expect 0 $slow "*r0/2 I* evaluated*: the training has finished*" "${job[@]}"
[[ $(grep -c '"kind": "eval"' "$run/eval/metrics.jsonl") -ge 1 ]] || complain "the evaluator has evaluated nothing"
saved 6 "an evaluator beside it"

# All ranks of the evaluator fail: reported once, and the job's code in the end.
job_with --train_steps=6
mkdir -p "$run"
: >"$run/eval"
expect 70 $slow "*the evaluator has failed, the training goes on: *" "${job[@]}"
saved 6 "a failed evaluator"

# One of its ranks fails, and the other waits for it in vain: the job waits for neither.
job_with --train_steps=6 --hparams=fault=throw,fault_step=0,fault_rank=3
expect 70 20 "*r1/2 E*the evaluator has failed, the training goes on: a fault was planted here" "${job[@]}"
check_end 70 20 "*r0/2 E*the job ends with 70, because its evaluator has failed*" 70 0 "one failed rank of an evaluator"
saved 6 "one failed rank of an evaluator"

# An error of the training ends all.
job_with --hparams=fault=throw,fault_step=50,fault_rank=1
expect 65 $slow "*r1/2 E*a fault was planted here" "${job[@]}"

# until_true COMMAND...: waits until it succeeds, a minute at most.
until_true() {
  local end=$((SECONDS + slow))
  until "$@"; do
    if ((SECONDS > end)); then
      complain "not within $slow s: $*"
      return
    fi
    sleep 0.1
  done
}
# begin_job: starts the job, and waits until it has saved.
begin_job() {
  setsid timeout -k 15 $((3 * slow)) "${job[@]}" >"$folder/out" 2>"$folder/err" </dev/null &
  started=$!
  until_true test -e "$run/checkpoint.json"
}
# end_job CODE SECONDS PATTERN WHAT: checks the end as expect does.
end_job() {
  local got=0 begin=$SECONDS
  wait "$started" || got=$?
  end_session "$started"
  started=""
  check_end "$1" "$2" "$3" "$got" $((SECONDS - begin)) "$4"
}
# process_of TASK: prints the process of the job whose TF_CONFIG names the task.
process_of() {
  local process
  for process in $(pgrep -s "$started" -f faulty_train); do
    if grep -qzs "^TF_CONFIG=.*\"type\": \"$1\"" "/proc/$process/environ" &&
      [[ $(readlink "/proc/$process/exe") == */faulty_train ]]; then
      echo "$process"
      return
    fi
  done
}

# A request to stop that only one rank of the training gets; then one that only the evaluator gets.
job_with
LOCKSTEP_FAULT_PAUSE_MS=20 begin_job
kill -USR1 "$(process_of chief)"
end_job 75 20 "*r0/2 I* evaluated*: the training has ended*" "the chief is asked to stop"

job_with --train_steps=400
LOCKSTEP_FAULT_PAUSE_MS=20 begin_job
kill -USR1 "$(process_of evaluator)"
end_job 0 $slow "*r0/2 I* evaluated*: asked to stop*" "the evaluator is asked to stop"
saved 400 "the evaluator is asked to stop"

# The training has ended, and its evaluator is stopped during its work: a message says so. A signal to a rank that waits
# for the evaluator does not kill it; the evaluator is told, and ends before its next evaluation.
job_with --train_steps=40 --hang_timeout=10m
LOCKSTEP_FAULT_PAUSE_MS=20 begin_job
stopped="$(process_of evaluator)"
kill -STOP "$stopped"
until_true grep -q "r0/2 I. waiting for the evaluator, up to 240 minutes (--eval_timeout_mins)" "$folder/err"
until_true grep -q "r0/2 W. waiting for the evaluator: no heartbeat of process $stopped on .* for 15 s" "$folder/err"
kill -USR1 "$(process_of chief)"
until_true grep -q "r0/2 I. asked to stop: the evaluator will end after its present evaluation" "$folder/err"
for task in chief worker; do kill -USR2 "$(process_of $task)"; done
kill -CONT "$stopped"
end_job 0 $slow "*r0/2 I* evaluated*: asked to stop*" "a stop after the training"
saved 40 "a stop after the training"

# The evaluator hangs: the verdict is printed, and the training continues to its end.
job_with --train_steps=150 --hang_timeout=4s --hparams=fault=sleep,fault_step=0,fault_rank=3
LOCKSTEP_FAULT_PAUSE_MS=100 begin_job
until_true grep -q "the evaluator hangs, the training goes on" "$folder/err"
grep -q "HANG: rank 0/2" "$folder/err" || complain "no verdict of a hanging evaluator"
until_true grep -q "trained 150 steps" "$folder/err"
end_session "$started"
started=""

exit $failed
