#!/bin/bash
# USR1 some time before the limit, as --signal has Slurm send it to the script: the job saves, is requeued, and ends with the
# parameters of an undisturbed run.
# shellcheck source=tests/cluster/slurm/jobs.sh
source tests/cluster/slurm/jobs.sh

# Slurm checks limits every 30 s, and sends the signal up to 60 s early. --stop_after alone would stop it after 60 s.
scenario() {
  submit "$1" --time=2 --signal=B:USR1@105
  expect_said 90 'asked to stop by SIGUSR1' "$1"
  expect_said 20 'train ended with 75' "$1"
  expect_parameters "$1"
  expect_said 1 'resumed from' "$1"
}
side_by_side 480
