#!/bin/bash
# TERM to mpirun at random moments of a job of two ranks that evaluates and saves every 100 steps. mpirun sends its
# ranks TERM after a second and KILL a second later (docs/launching.md), so two ends are right: the job saves and says
# so, or the launcher kills it first. Either way the next start resumes, from no earlier step than was reported as
# saved.
#
#   LOCKSTEP_BUILD_DIR=build bash tests/interruption/term_to_mpirun_test.sh [TIMES [SEED [TERMS [BUSY]]]]
#
# TERMS=2: two TERMs at once, as `timeout` without --foreground sends them; mpirun leaves at the second one. BUSY:
# number of busy loops that run at the same time. The last line counts the ends, and how often Open MPI left files in
# /dev/shm or in the temporary folder: that depends on the machine, and is not a failure of this test.
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/../launch/expect.sh"
# shellcheck source=tests/interruption/job.sh
source "$(dirname "$0")/job.sh"
times=${1:-2}
seed=${2:-${LOCKSTEP_TEST_SEED:-$(($(date +%s) % 32768))}}
terms=${3:-1}
busy_loops=${4:-0}
RANDOM=$seed
echo "$times jobs; to repeat them: bash $0 $times $seed $terms $busy_loops"

# shellcheck disable=SC2054  # a list of hparams has commas
job_flags=(--model=mlp --hparams=hidden_size=32,batch_size=16 --train_steps=1000000 --save_checkpoints_steps=100
  --local_eval_frequency=100)

# Folders of this test's own, so that leftovers in them are from its jobs.
shared="$(mktemp -d -p /dev/shm lockstep_test_XXXXXX)"
export OMPI_MCA_btl_vader_backing_directory="$shared" TMPDIR="$folder/tmp"
mkdir "$TMPDIR"
busy=()
for ((i = 0; i < busy_loops; i++)); do
  while :; do :; done &
  busy+=($!)
done
trap '[[ ${#busy[@]} == 0 ]] || kill "${busy[@]}"; rm -rf "$shared"; clean_up' EXIT

send_terms() { # from one process, so that they are close together
  python3 -c 'import os, signal, sys
for _ in range(int(sys.argv[2])):
    try: os.kill(int(sys.argv[1]), signal.SIGTERM)
    except ProcessLookupError: pass
' "$started" "$terms"
}

# Prints the step of the last line of the job's output that matches the pattern, which has one group.
last_step() { sed -n "s/.*$1.*/\\1/p" "$folder/err" | tail -n 1; }

saved=0 killed=0 left=0
for ((n = 1; n <= times; n++)); do
  output="$folder/run"
  rm -rf "$output"
  start_job 2 "$output"
  wait_for 'saved step 100:' 60 || complain "job $n does not save"
  delay=$((RANDOM % 2000))
  sleep "$(awk -v ms=$delay 'BEGIN { print ms / 1000 }')"
  begin=$(milliseconds)
  send_terms
  end_job
  took=$(($(milliseconds) - begin))
  wait_until_gone "$last_job"
  [[ $code == 1 ]] || complain "job $n: mpirun ended with $code, expected 1"
  reported=$(last_step 'saved step \([0-9]*\):')
  stopped=$(last_step 'stopped after \([0-9]*\) steps.*: saved;')
  if [[ -n $stopped ]]; then
    saved=$((saved + 1))
    end="saved step $stopped and said so"
    [[ $reported == "$stopped" ]] || complain "job $n: stopped after step $stopped, but the last one saved is $reported"
  else
    killed=$((killed + 1))
    end="was killed; the last line: $(grep '^\[' "$folder/err" | tail -n 1)"
  fi
  files=$(find "$shared" "$TMPDIR" -mindepth 1 -maxdepth 1 | wc -l)
  [[ $files == 0 ]] || left=$((left + 1))
  echo "job $n: TERM $delay ms after its first save, mpirun ended after $took ms; it $end; $files files left"
  rm -rf "${shared:?}"/* "${TMPDIR:?}"/*

  start_job 2 "$output"
  wait_for 'resumed from' 60 || complain "job $n: the next start does not resume"
  resumed=$(last_step 'resumed from .*: step \([0-9]*\),')
  ((${resumed:-0} >= ${reported:-0})) || complain "job $n: step $reported was reported as saved, the next start has $resumed"
  kill -USR1 "$started"
  end_job
  [[ $code == 75 ]] || complain "job $n: the next start, asked to stop, ended with $code"
  wait_until_gone "$last_job"
  rm -rf "${shared:?}"/* "${TMPDIR:?}"/*
done
echo "$times jobs: $saved saved and said so, $killed were killed by the launcher before, $left left files behind"
exit $failed
