#!/bin/bash
# Slurm ends the job at a time limit that was shortened while it ran: train saves when TERM comes, the job is requeued,
# and ends with the parameters of an undisturbed run.
# shellcheck source=tests/cluster/slurm/jobs.sh
source tests/cluster/slurm/jobs.sh

# Slurm checks limits every 30 s.
scenario() {
  local job
  sed -i '/^#SBATCH --signal/d' "$home/$1.sbatch"
  job=$(submit "$1")
  expect_said 60 'step 25/' "$1"
  as_researcher scontrol update JobId="$job" EndTime=now+5
  expect_said 60 'DUE TO TIME LIMIT' "$1"
  expect_saved "$1"
  expect_said 20 'requeued: scontrol requeue' "$1"
  expect_parameters "$1"
  expect_said 1 'resumed from' "$1"
}
side_by_side 450
