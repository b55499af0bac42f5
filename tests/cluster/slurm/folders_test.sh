#!/bin/bash
# An output directory that each node has for itself: rank 0's holds the checkpoints, the others' only their ranks' logs,
# and the job resumes from it. (All other tests use one that the nodes share.)
# shellcheck source=tests/cluster/slurm/jobs.sh
source tests/cluster/slurm/jobs.sh
cluster_with_jobs 100
sed -i 's|^output_dir=[^/]*|output_dir=/tmp|' $home/{srun,mpirun}.sbatch

expect_logs() { # NODE NAME RANKS: checks for the logs of its own ranks, and nothing else except on rank 0's node
  local found
  found=$(on "$1" bash -c "cd /tmp/runs/$2/log && echo *")
  [[ $found == "$3" ]] || complain "$1 has the logs '$found' of $2 instead of '$3'" "$(log_of "$2")"
  [[ $1 == n1 || $(on "$1" ls "/tmp/runs/$2") == log ]] || complain "$1 has more of $2 than logs"
}

submit srun
submit mpirun
for name in srun mpirun; do
  expect_said 90 'train ended with 0' $name
  hash=$(parameters_of "/proc/$(<"/mnt/nodes/n1/pid")/root/tmp/runs/$name")
  [[ $hash == "$(parameters_of $home/reference)" ]] || complain "$name: other parameters" "$(log_of $name)"
  expect_logs n1 $name "rank-0000.log rank-0001.log"
  expect_logs n2 $name "rank-0002.log rank-0003.log"
  expect_logs n3 $name "rank-0004.log rank-0005.log"
done
