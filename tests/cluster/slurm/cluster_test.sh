#!/bin/bash
# `lockstep cluster` in jobs of Slurm: the whole job in its script, and each process's own place in a step of srun's and
# under mpirun.
# shellcheck source=tests/cluster/slurm/jobs.sh
source tests/cluster/slurm/jobs.sh
cluster_up 3

lockstep=$build/lockstep
places() {
  local rank
  for rank in 0 1 2 3 4 5; do
    echo "RANK=$rank WORLD_SIZE=6 LOCAL_RANK=$((rank % 2)) LOCAL_WORLD_SIZE=2 MASTER_ADDR=n1 MASTER_PORT=29500"
  done
}
cat >"$home/job" <<END
#!/bin/bash
$lockstep cluster --format=hostfile >hostfile
srun --mpi=pmix $lockstep cluster --format=torchrun >of_srun
srun --nodes=2 --ntasks=2 --ntasks-per-node=1 --mpi=pmix $lockstep cluster --format=hostfile >of_step
mpirun --bind-to none $lockstep cluster --format=torchrun >of_mpirun
touch over
END
cd "$home" || exit
as_researcher sbatch --nodes=3 --ntasks-per-node=2 "$home/job"
wait_until 60 test -e "$home/over" || complain "the job does not end" "$home"/slurm-*.out
[[ $(<hostfile) == $'n1 slots=2\nn2 slots=2\nn3 slots=2' ]] || complain "the job's hosts" hostfile "$home"/slurm-*.out
[[ $(sort of_srun) == "$(places)" ]] || complain "srun" of_srun "$home"/slurm-*.out
[[ $(sort of_mpirun) == "$(places)" ]] || complain "mpirun" of_mpirun "$home"/slurm-*.out
[[ $(sort -u of_step) == $'n1 slots=1\nn2 slots=1' ]] || complain "a smaller step" of_step "$home"/slurm-*.out
