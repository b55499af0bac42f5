#!/bin/bash
# Slurm loses four nodes (their slurmd dies, their links to the controller fail) while the jobs there run on: it starts
# these again on two other nodes, while their old copies still run. The new copies wait for the lease, and resume when
# - `saved`: the old copy has saved and ended. Its script leaves the job alone, which belongs to the new copy by now;
# - `killed`: Slurm has its nodes back, and kills the old copy;
# - `hung`: the old copy has sent no heartbeat for 15 s, as on a node whose disk hangs. When it wakes it writes nothing
# more.
# All end with the parameters of an undisturbed run.
# shellcheck source=tests/cluster/slurm/jobs.sh
source tests/cluster/slurm/jobs.sh

signal_ranks() { # SIGNAL NAME NODE...: signals the ranks of this job
  local node
  for node in "${@:3}"; do
    on "$node" pkill "-$1" --full "^[^ ]*/train .*/runs/$2 " || complain "no rank of $2 on $node" "$(log_of "$2")"
  done
}

cluster_with_jobs 480 6
for name in killed saved; do
  cp $home/srun.sbatch $home/$name.sbatch
  submit $name --nodes=2 --ntasks-per-node=1 --exclude=n[3-4]
done
mv $home/mpirun.sbatch $home/hung.sbatch
submit hung --nodes=2 --ntasks-per-node=1 --exclude=n[1-2]
expect_said 60 'saved step 50:' killed saved hung
shape_links 1mbit 0 n1 n2  # slow enough that the old copies there still train
for node in n1 n2 n3 n4; do
  on $node pkill -KILL -x slurmd
  cut_off $node
done
signal_ranks STOP hung n3 n4
expect_said 90 'start 2 on n\[5-6\]' killed saved hung
expect_said 30 'is in use by job slurm .* on n[13]: waiting to see whether it ends' killed saved hung

for node in n1 n2; do reconnect $node; done
signal_ranks USR1 saved n1
expect_said 20 'train ended with 75' saved
expect_said 10 'it is not requeued from here' saved
for node in n1 n2; do on $node slurmd; done
expect_said 40 'over from job slurm .* on n[13]: no heartbeat for 15 s' killed hung
signal_ranks CONT hung n3 n4
expect_said 20 'was taken over by .* on n5, so this job writes nothing more there and ends' hung
expect_said 20 'train ended with 78' hung
expect_parameters killed saved hung
for name in killed saved hung; do
  expect_said 1 'resumed from' $name
  [[ $(grep -c 'start [0-9]* on' "$(log_of $name)") == 2 ]] || complain "$name was not started twice" "$(log_of $name)"
done
