#!/bin/bash
# Three nodes with two ranks each, by srun, by sbatch with srun, and by sbatch with mpirun: the bits of six ranks on one
# machine, and with --exact those of one rank.
# shellcheck source=tests/cluster/slurm/jobs.sh
source tests/cluster/slurm/jobs.sh
cluster_with_jobs 60

expect_same() { # NAME REFERENCE
  [[ $(parameters_of "$(output_of "$1")") == "$(parameters_of $home/"$2")" ]] || complain "$1: other parameters than $2" "$(log_of "$1")"
}
six=(--model=linear --train_steps=60)
train_here 6 "${six[@]}" --output_dir=$home/six

cd $home
as_researcher srun --mpi=pmix --kill-on-bad-exit --nodes=3 --ntasks-per-node=2 "$build/train" "${six[@]}" \
  --output_dir="$(output_of by_srun)" 2>&1 | tee "$(log_of by_srun)"
expect_same by_srun six
cd "$OLDPWD"
submit a srun
submit b mpirun
expect_parameters a b
wait_until 30 nodes_idle 3

sed -i "s|^flags=.*|flags=(${six[*]})|" $home/{srun,mpirun}.sbatch
submit c srun
submit d mpirun
for name in c d; do
  wait_until 60 finished "$(output_of $name)" || complain "$name does not finish" "$(log_of $name)"
  expect_same $name six
done
