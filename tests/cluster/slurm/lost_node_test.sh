#!/bin/bash
# A node is switched off under two jobs. One asked for two or three nodes and resumes on the remaining ones; the other
# wants three, and waits for the node's return. Both end with the parameters of an undisturbed run.
# shellcheck source=tests/cluster/slurm/jobs.sh
source tests/cluster/slurm/jobs.sh
cluster_with_jobs 300

# With --ntasks-per-node, Slurm would keep the number of ranks of the first start.
sed -i '/^#SBATCH --ntasks-per-node/d; s|^launch=.*|launch=(mpirun --bind-to none --map-by ppr:2:node)|' $home/mpirun.sbatch
submit mpirun --nodes=2-3 --mincpus=2
submit srun
expect_said 60 'saved step 50' mpirun srun
node_off n2
expect_said 90 'start [2-9] on n\[1,3\]' mpirun
expect_parameters mpirun
wait_until 60 waits_for_nodes srun || complain "the job that wants three nodes does not wait" "$(log_of srun)"
slurm_node_up n2
expect_parameters srun
expect_said 1 'resumed from' mpirun srun
