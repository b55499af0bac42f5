#!/bin/bash
# A job of a higher partition takes the nodes: the jobs there save, wait for the nodes, and end with the parameters of an
# undisturbed run.
# shellcheck source=tests/cluster/slurm/jobs.sh
source tests/cluster/slurm/jobs.sh
cluster_with_jobs 200

submit a srun
submit b mpirun
expect_said 60 'step 75/' a b
as_researcher sbatch --partition=urgent --nodes=3 --exclusive --job-name=urgent --output=$home/urgent.log --wrap='echo begins; sleep 5'
expect_said 60 'begins' urgent
expect_said 1 'train ended with' a b
expect_said 1 'stopped after [0-9]+ steps.*saved' a b
expect_parameters a b
expect_said 1 'start 2 on' a b
