#!/bin/bash
# The time limit without any signal: train saves in time, since the script tells it the limit; the job is requeued, and ends
# with the parameters of an undisturbed run.
# shellcheck source=tests/cluster/slurm/jobs.sh
source tests/cluster/slurm/jobs.sh
cluster_with_jobs 320
sed -i '/^#SBATCH --signal/d' $home/{srun,mpirun}.sbatch

submit a srun --time=1
submit b mpirun --time=1
expect_said 90 'asked to stop by --stop_after=.*, which is nearly reached' a b
expect_said 20 'train ended with 75' a b
expect_parameters a b
expect_said 1 'start 2 on' a b
