#!/bin/bash
# A job of a higher partition takes the nodes: the jobs there save, wait for the nodes, and end with the parameters of an
# undisturbed run.
# shellcheck source=tests/cluster/slurm/jobs.sh
source tests/cluster/slurm/jobs.sh
cluster_with_jobs 500

submit srun
submit mpirun
expect_said 60 'saved step 50' srun mpirun
as_researcher sbatch --chdir=$home --partition=urgent --nodes=3 --exclusive --output="$(log_of urgent)" \
  --wrap='echo begins; sleep 5'
expect_said 60 'begins' urgent
expect_saved srun mpirun
expect_parameters srun mpirun
expect_said 1 'resumed from' srun mpirun
