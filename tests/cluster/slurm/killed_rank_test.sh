#!/bin/bash
# A rank is killed: the job ends within 15 s and not with 0, is requeued, and ends with the parameters of an undisturbed run.
# shellcheck source=tests/cluster/slurm/jobs.sh
source tests/cluster/slurm/jobs.sh

scenario() {
  submit "$1"
  expect_said 60 'step 75/' "$1"
  on n2 pkill -KILL --oldest --full "^[^ ]*/train .*/runs/$1 " || complain "no rank of $1 on n2"
  expect_said 15 'train ended with [1-9]' "$1"
  expect_parameters "$1"
  expect_said 1 'resumed from' "$1"
}
side_by_side 200
