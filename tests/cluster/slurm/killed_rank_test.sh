#!/bin/bash
# A rank is killed: the job ends within 15 s and not with 0, is requeued, and ends with the parameters of an undisturbed run.
# shellcheck source=tests/cluster/slurm/jobs.sh
source tests/cluster/slurm/jobs.sh
cluster_with_jobs 200

submit a srun
submit b mpirun
expect_said 60 'step 75/' a b
on n2 pkill -KILL -x train
expect_said 15 'train ended with [1-9]' a b
expect_parameters a b
expect_said 1 'resumed from' a b
