# Sourced by program tests of jobs that TF_CONFIG describes, after expect.sh.
# shellcheck shell=bash disable=SC2034  # job is the test's

# config CLUSTER JOB INDEX: prints the TF_CONFIG of that task.
config() { echo "TF_CONFIG={\"cluster\": $1, \"task\": {\"type\": \"$2\", \"index\": $3}, \"environment\": \"cloud\"}"; }

# tasks CLUSTER JOB INDEX FLAGS / JOB INDEX FLAGS ...: adds one process of $program (train) for each to the words of the
# command in `job`. If JOB is "-" the process has no TF_CONFIG.
tasks() {
  local cluster=$1 flags
  read -ra job <<<"${LOCKSTEP_MPIRUN:-mpirun} --oversubscribe --bind-to none"
  shift
  for ((; $# > 0; )); do
    read -ra flags <<<"$3"
    job+=(-np 1)
    [[ $1 == - ]] || job+=(env "$(config "$cluster" "$1" "$2")")
    job+=("${program:-$(train)}" "${flags[@]}")
    shift 3
    (($# == 0)) || job+=(:)
  done
}
