#!/bin/bash
# USR1 some time before the limit, as --signal has Slurm send it to the script: the job saves, is requeued, and ends with the
# parameters of an undisturbed run.
# shellcheck source=tests/cluster/slurm/jobs.sh
source tests/cluster/slurm/jobs.sh

# Slurm looks at limits every 30 s. The limit comes near once only: with the same limit the next start would be signalled, too.
# --stop_after, which the script derives from the limit at the start, is an hour away.
scenario() {
  local job
  job=$(submit "$1" --time=60 --signal=B:USR1@105)
  expect_said 60 'step 25/' "$1"
  as_researcher scontrol update JobId="$job" EndTime=now+100
  expect_said 60 'asked to stop by SIGUSR1' "$1"
  expect_said 20 'train ended with 75' "$1"
  wait_until 30 scontrol update JobId="$job" TimeLimit=60 || complain "$1: the limit cannot be raised" "$(log_of "$1")"
  expect_parameters "$1"
  expect_said 1 'resumed from' "$1"
}
side_by_side 700 # alone 50 s: more than the signal may take
