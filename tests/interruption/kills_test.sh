#!/bin/bash
# kill -9 of a rank, of mpirun, or of a whole job at a random moment; the job is started again at once and has to end
# with the parameters of the undisturbed run: on three ranks, and with --exact on another number each time.
#
#   LOCKSTEP_BUILD_DIR=build tests/interruption/kills_test.sh [KILLS [SEED]]
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/../launch/expect.sh"
# shellcheck source=tests/interruption/job.sh
source "$(dirname "$0")/job.sh"
usual=6
[[ -z ${LOCKSTEP_SANITIZE:-} ]] || usual=2
kills=${1:-$usual}
seed=${2:-${LOCKSTEP_TEST_SEED:-$(($(date +%s) % 32768))}}
RANDOM=$seed
echo "$kills kills each way; to repeat them: $0 $kills $seed"

# kill_somebody: kills a rank, mpirun, or all at the same moment.
kill_somebody() {
  local victim
  case $((RANDOM % 4)) in
    0) victim=$started ;;
    1) victim=$(processes_of "$started" | tr '\n' ' ') ;;
    *) victim=$(rank_process $((RANDOM % $1))) ;;
  esac
  # shellcheck disable=SC2086  # several
  [[ -n $victim ]] && kill -KILL $victim 2>/dev/null
}

# killed_at_random WAY RANKS_BEFORE RANKS_AFTER HASH MILLISECONDS FLAG...: one job, one kill, one restart. Returns 1 if
# the job was over before the kill came.
killed_at_random() {
  local way=$1 before=$2 after=$3 expected=$4 length=$5 output="$folder/run" struck
  shift 5
  rm -rf "$output"
  start_job "$before" "$output" "$@"
  sleep "$(awk -v ms=$((RANDOM * length / 32768)) 'BEGIN { print ms / 1000 }')"
  kill_somebody "$before"
  end_job
  struck=$last_job
  [[ $code != 0 ]] || return 1
  finish_job "$way, $before then $after ranks" "$after" "$output" "$expected" "$@"
  if grep -q 'resumed from' "$folder/err"; then resumed=$((resumed + 1)); fi
  wait_until_gone "$struck"
}

# strike WAY FLAG...: kills several jobs of one kind.
strike() {
  local way=$1 begin length expected done=0 tries=0 before after
  shift
  resumed=0
  begin=$(milliseconds)
  start_job 3 "$folder/reference" "$@"
  end_job
  length=$(($(milliseconds) - begin))
  expected=$(hash_of "$folder/reference")
  [[ $code == 0 && -n $expected ]] || complain "$way: the uninterrupted run ended with $code"
  while ((done < kills && tries++ < 3 * kills + 10 && failed == 0)); do
    before=3 after=3
    if [[ $way == exact ]]; then
      before=$((1 + tries % 5))
      after=$((1 + (tries * 3 + 1) % 5))
    fi
    if killed_at_random "$way" "$before" "$after" "$expected" "$length" "$@"; then done=$((done + 1)); fi
  done
  ((done == kills)) || complain "$way: only $done of $kills jobs could be killed before they ended"
  echo "$way: $done of $kills killed jobs ended with the uninterrupted run's hash; $resumed of the restarts resumed"
  rm -rf "$folder/reference"
}

strike "same ranks"
strike exact --exact
exit $failed
