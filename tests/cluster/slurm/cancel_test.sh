#!/bin/bash
# scancel: the job saves and stays away; submitted again, it goes on to the parameters of an undisturbed run.
# shellcheck source=tests/cluster/slurm/jobs.sh
source tests/cluster/slurm/jobs.sh
cluster_with_jobs 200

jobs=("$(submit a srun)" "$(submit b mpirun)")
expect_said 60 'step 75/' a b
as_researcher scancel "${jobs[@]}"
expect_said 30 'train ended with' a b
expect_said 30 'stopped after [0-9]+ steps.*saved' a b
expect_said 10 'it is not requeued from here' a b
wait_until 30 nodes_idle 3 || complain "the cancelled jobs are still there" "$(log_of a)" "$(log_of b)"

submit a srun
submit b mpirun
expect_parameters a b
expect_said 1 'resumed from' a b
