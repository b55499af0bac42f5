#!/bin/bash
# Each signal that asks for an end is sent to each kind of process of a job of three ranks, once and four times within 5
# ms: the job saves and ends with 75 (mpirun itself answers TERM and INT with its own code 1, and saves nothing), and
# continues to the uninterrupted run's parameters.
#
#   LOCKSTEP_BUILD_DIR=build tests/interruption/signals_test.sh [all]
#
# Without `all`: a choice in which every signal, every process and both numbers of times occur.
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/../launch/expect.sh"
# shellcheck source=tests/interruption/job.sh
source "$(dirname "$0")/job.sh"
program=$(faulty_train)
job_flags=("${job_flags[@]/--model=mlp/--model=mlp_faulty}")
job_flags=("${job_flags[@]/--hparams=*/--hparams=hidden_size=32,optimizer=adam}")
slow=20 # seconds; a busy machine, and mpirun takes up to five by itself
[[ -z ${LOCKSTEP_SANITIZE:-} ]] || slow=60
cases=("TERM mpirun 1" "INT 0 4" "TERM 1 1" "USR1 mpirun 4" "USR2 2 4" "USR2 mpirun 1" "USR1 0 1")
# A job takes twenty seconds with a sanitizer.
[[ -z ${LOCKSTEP_SANITIZE:-} ]] || cases=("INT 0 4" "TERM 1 1" "USR1 mpirun 4")
if [[ ${1:-} == all ]]; then
  cases=()
  for signal in TERM INT USR1 USR2; do
    for target in mpirun 0 1 2; do cases+=("$signal $target 1" "$signal $target 4"); done
  done
fi

start_job 3 "$folder/reference"
end_job
expected=$(hash_of "$folder/reference")
[[ $code == 0 && -n $expected ]] || complain "the uninterrupted run ended with $code"

# send SIGNAL PROCESS TIMES: sends it from one process, so that the signals are close together.
send() { python3 -c 'import os, signal, sys
for _ in range(int(sys.argv[3])):
    try: os.kill(int(sys.argv[2]), getattr(signal, "SIG" + sys.argv[1]))
    except ProcessLookupError: pass  # the first one was enough
' "$@"; }

# asked SIGNAL TARGET TIMES: checks how a job ends after these signals, and how the next one continues.
asked() {
  local what="$1 to $2, $3 times" output="$folder/run" begin took process wanted=75
  rm -rf "$output"
  LOCKSTEP_FAULT_PAUSE_MS=10 start_job 3 "$output"
  wait_for 'step 100/' 60 || complain "$what: the job does not train"
  process=$started
  [[ $2 == mpirun ]] || process=$(rank_process "$2")
  begin=$(milliseconds)
  send "$1" "$process" "$3"
  end_job
  took=$(($(milliseconds) - begin))
  [[ $2 == mpirun && $1 =~ TERM|INT ]] && wanted=1
  [[ $code == "$wanted" ]] || complain "$what: exit code $code, expected $wanted"
  ((took <= slow * 1000)) || complain "$what: took $took ms"
  if [[ $wanted == 75 ]]; then
    [[ $(grep -c "asked to stop by SIG$1 from process .*: stopping after step" "$folder/err") == 1 ]] ||
      complain "$what: not one line that says who asked"
    grep -q '"finished": *false' "$output/checkpoint.json" || complain "$what: checkpoint.json does not say unfinished"
  fi
  echo "$what: code $code after $took ms"
  wait_until_gone "$last_job"
  finish_job "$what" 3 "$output" "$expected"
  grep -q 'resumed from' "$folder/err" || complain "$what: the restart did not resume"
}

for each in "${cases[@]}"; do
  # shellcheck disable=SC2086  # three words
  asked $each
done

# When all steps are made, signals change nothing, however often they come while the ranks are ending.
# shellcheck disable=SC2046  # words on purpose
LOCKSTEP_FAULT_PAUSE_MS=20 setsid $(mpi 3) "$program" --model=mlp_faulty --train_steps=60 --output_dir="$folder/made" \
  >"$folder/out" 2>"$folder/err" </dev/null &
started=$!
wait_for 'step 1/' 60 || complain "the job that is to finish does not train"
ranks=$(for rank in 0 1 2; do rank_process "$rank"; done)
wait_for 'trained 60 steps' 60 || complain "the job that is to finish does not"
while kill -0 "$started" 2>/dev/null; do
  for rank in $ranks; do kill -USR1 "$rank" 2>/dev/null; done
  sleep 0.01
done
end_job
[[ $code == 0 ]] || complain "signals after all steps: exit code $code, expected 0"

# A rank stuck in a step cannot answer a first TERM; a second one 2 s later ends it at once.
LOCKSTEP_FAULT_PAUSE_MS=60000 start_job 1 "$folder/stuck"
wait_for 'strategy sync' 60 || complain "the stuck job does not begin"
sleep 0.5
process=$(rank_process 0)
send TERM "$process" 1
wait_for 'SIGTERM from process [0-9]*: saving and ending after the step in progress' $slow ||
  complain "a rank that is stuck in a step does not answer"
sleep 2.2
kill -0 "$process" 2>/dev/null || complain "a first TERM ended a rank that could not save"
begin=$(milliseconds)
# The 2 s count from the moment when the process has noted the first one, so a second may come too early.
while kill -TERM "$process" 2>/dev/null && (($(milliseconds) - begin <= slow * 1000)); do sleep 0.2; done
end_session "$started" # only if the loop did not end it
end_job
took=$(($(milliseconds) - begin))
[[ $code != 0 && $code != 75 ]] || complain "a second TERM: exit code $code"
((took <= slow * 1000)) || complain "a second TERM: took $took ms"

# SIGCONT from its parent, the first signal of an interrupted mpirun, makes a job save and go on.
python3 - "$program" "${job_flags[@]/--save_checkpoints_steps=*/--save_checkpoints_steps=900}" --output_dir="$folder/continued" \
  2>"$folder/err" <<'PYTHON' || complain "SIGCONT from the parent: the job does not save and go on"
import os, signal, subprocess, sys
job = subprocess.Popen(sys.argv[1:], stderr=subprocess.PIPE, text=True, env=dict(os.environ, LOCKSTEP_FAULT_PAUSE_MS="5"))
seen = []
for line in job.stderr:
    sys.stderr.write(line)
    if "step 100/" in line:
        job.send_signal(signal.SIGCONT)
        seen.append("asked")
    if "SIGCONT from process" in line and "saving after the step in progress" in line: seen.append("answered")
    if "saved step" in line and "step 900" not in line: seen.append("saved")
sys.exit(0 if job.wait() == 0 and seen == ["asked", "answered", "saved"] else 1)
PYTHON

# Ranks that mpirun started by a script are told to use exec, and mpirun's CONT asks them to save, too. On a busy
# machine KILL, two seconds later, may come first: success in one of three tries is enough.
printf '#!/bin/bash\n"%s" "$@"\nexit $?\n' "$program" >"$folder/script"
chmod +x "$folder/script"
for try in 1 2 3; do
  program="$folder/script" LOCKSTEP_FAULT_PAUSE_MS=20 start_job 2 "$folder/by_script_$try"
  wait_for 'step 20/' 60 || complain "the job of a script does not begin"
  wait_for 'mpirun started script, which started this program: .*exec' 1 || complain "a script is not told of exec"
  kill -INT "$started"
  end_job
  wait_until_gone "$last_job"
  ! grep -q 'SIGCONT from process [0-9]*, with which mpirun .* saving' "$folder/err" || break
  ((try < 3)) || complain "ranks of a script do not answer mpirun's CONT"
done
exit $failed
