#!/bin/bash
# scancel: the job saves and is not requeued; submitted again, it ends with the parameters of an undisturbed run.
# shellcheck source=tests/cluster/slurm/jobs.sh
source tests/cluster/slurm/jobs.sh

scenario() {
  local job
  job=$(submit "$1")
  expect_said 60 'step 75/' "$1"
  as_researcher scancel "$job"
  expect_saved "$1"
  expect_said 10 'it is not requeued from here' "$1"
  gone "$job"
  submit "$1"
  expect_parameters "$1"
  expect_said 1 'resumed from' "$1"
}
side_by_side 200
