#!/bin/bash
# scontrol requeue while the job trains: it saves, starts again, and ends with the parameters of an undisturbed run.
# shellcheck source=tests/cluster/slurm/jobs.sh
source tests/cluster/slurm/jobs.sh

scenario() {
  local job
  job=$(submit "$1")
  expect_said 60 'step 75/' "$1"
  as_researcher scontrol requeue "$job"
  expect_saved "$1"
  expect_parameters "$1"
  expect_said 1 'resumed from' "$1"
}
side_by_side 200
