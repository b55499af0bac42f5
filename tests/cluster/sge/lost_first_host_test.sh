#!/bin/bash
# The host that a job's script runs on is switched off. Grid Engine 8.1.9 either starts such a job again on the
# remaining hosts or loses track of it; then a manager has to delete it by force, and it is submitted again. It ends
# with the bits of an uninterrupted run either way.
# shellcheck source=tests/cluster/sge/jobs.sh
source tests/cluster/sge/jobs.sh
cluster_up 3
job_script train.sge
slow_links
train_here 6 "${flags[@]}" --output_dir=/mnt/home/here

again() { [[ $(grep -c 'resumed from ' /mnt/home/first.log) == 1 ]]; }
job=$(submit first -pe mpi 6 train.sge first "${flags[@]}")
trains first
node_off "$(host_of_rank 0 first)"
if ! wait_until 50 again; then
  echo "not started again: $(qstat -u '*')"
  qdel -f "$job" || true
  job=$(submit first -pe mpi 6 train.sge first "${flags[@]}")
fi
end_of 120 first "$job"
again || complain "not resumed" /mnt/home/first.log
said 'job [0-9]+ on 2 hosts' /mnt/home/first.log || complain "not on the hosts that are left" /mnt/home/first.log
ends_like first here
