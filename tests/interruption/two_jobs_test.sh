#!/bin/bash
# One trainer per output_dir: a second job ends with 78 and names the first; after kill -9 of the first a third takes
# over at once; a restarted job waits for its old copy; of three that start at the same moment one trains.
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/../launch/expect.sh"
# shellcheck source=tests/interruption/job.sh
source "$(dirname "$0")/job.sh"
job_flags=("${job_flags[@]/--model=mlp/--model=mlp_faulty}")
job_flags=("${job_flags[@]/--hparams=*/--hparams=hidden_size=32,optimizer=adam}")
program=$(faulty_train)
second=("$program" "${job_flags[@]}" --output_dir="$folder/run")
slow=14 # seconds, less than the 15 s wait for a living holder

start_job 2 "$folder/reference"
end_job
expected=$(hash_of "$folder/reference")

LOCKSTEP_FAULT_PAUSE_MS=50 start_job 2 "$folder/run"
first=$started
wait_for 'saved step 40' 60 || complain "the first job does not train"
holder=$(rank_process 0)
cp "$folder/err" "$folder/first_err"
# shellcheck disable=SC2046  # words on purpose
expect 78 40 "*r0/2 E*process $holder *" $(mpi 2) "${second[@]}"
[[ -n $(processes_of "$first") ]] || complain "the first job did not survive the second"

# shellcheck disable=SC2046
kill -KILL $(processes_of "$first")
end_job
begin=$(milliseconds)
start_job 2 "$folder/run"
wait_for 'resumed from' 60 || complain "a third job does not resume"
took=$(($(milliseconds) - begin))
((took <= slow * 1000)) || complain "a third job took $took ms to take over from a dead one"
end_job
[[ $code == 0 && $(hash_of "$folder/run") == "$expected" ]] || complain "the third job ended with $code, or elsewhere"

# The scheduler restarts the job while the old copy still runs.
rm -rf "$folder/run"
export SLURM_JOB_ID=4711
LOCKSTEP_FAULT_PAUSE_MS=50 start_job 2 "$folder/run"
old=$started
wait_for 'saved step 40' 60 || complain "the old copy does not train"
# shellcheck disable=SC2046
$(mpi 2) "${second[@]}" >"$folder/out" 2>"$folder/new_err" </dev/null &
new=$!
sleep 11 # two heartbeats: any other job would have given up
kill -0 "$new" 2>/dev/null || complain "the new copy did not wait for the old one"
[[ $(grep -c 'waiting' "$folder/new_err") == 1 ]] || complain "the new copy does not say that it waits"
kill -USR1 "$old"
end_job
[[ $code == 75 ]] || complain "the old copy ended with $code"
code=0
wait "$new" || code=$?
[[ $code == 0 && $(hash_of "$folder/run") == "$expected" ]] || complain "the new copy ended with $code, or elsewhere"
grep -q 'resumed from' "$folder/new_err" || complain "the new copy did not resume"
unset SLURM_JOB_ID

# Three jobs start at the same moment.
rm -rf "$folder/run"
codes=""
jobs=()
for _ in 1 2 3; do
  # shellcheck disable=SC2046
  LOCKSTEP_FAULT_PAUSE_MS=40 $(mpi 1) "${second[@]}" >/dev/null 2>&1 </dev/null &
  jobs+=($!)
done
for job in "${jobs[@]}"; do
  code=0
  wait "$job" || code=$?
  codes+="$code "
done
[[ $(tr ' ' '\n' <<<"$codes" | sort | tr '\n' ' ') == " 0 78 78 " ]] || complain "three at once ended with $codes"
[[ $(hash_of "$folder/run") != "" && ! -e $folder/run/lease.json ]] || complain "three at once: no end, or a lease is left"
exit $failed
