#!/bin/bash
# A node is switched off under two jobs. One asked for two or three nodes and goes on with those that are left; the other
# wants three, and waits for the node's return. Both end with the parameters of an undisturbed run.
# shellcheck source=tests/cluster/slurm/jobs.sh
source tests/cluster/slurm/jobs.sh
cluster_with_jobs 200

# With --ntasks-per-node, Slurm would keep the number of ranks of the first start.
sed '/^#SBATCH --ntasks-per-node/d; s|^launch=.*|launch=(mpirun --bind-to none --map-by ppr:2:node)|' $home/srun.sbatch >$home/rest.sbatch
submit rest rest --nodes=2-3 --mincpus=2
submit return srun
expect_said 60 'step 75/' rest return
node_off n2
expect_said 90 'start 2 on n\[1,3\]' rest
expect_parameters rest
! said 'start 2' "$(log_of return)" || complain "the job that wants three nodes did not wait" "$(log_of return)"
slurm_node_up n2
expect_parameters return
expect_said 1 'start 2 on n\[1-3\]' return
expect_said 1 'resumed from' rest return
