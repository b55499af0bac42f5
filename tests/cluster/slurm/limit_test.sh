#!/bin/bash
# The time limit without any signal: train saves in time, since the script passes it the limit; the job is requeued, and
# ends with the parameters of an undisturbed run.
# shellcheck source=tests/cluster/slurm/jobs.sh
source tests/cluster/slurm/jobs.sh

scenario() {
  sed -i '/^#SBATCH --signal/d' "$home/$1.sbatch"
  submit "$1" --time=1
  expect_said 90 'asked to stop by --stop_after=.*, which is nearly reached' "$1"
  expect_said 20 'train ended with 75' "$1"
  expect_parameters "$1"
  expect_said 1 'resumed from' "$1"
}
side_by_side 480
