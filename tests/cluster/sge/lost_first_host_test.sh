#!/bin/bash
# A host is switched off under a job, the one that the job script runs on: it starts again on the hosts that are left, with
# the bits of an uninterrupted run.
# shellcheck source=tests/cluster/sge/jobs.sh
source tests/cluster/sge/jobs.sh
cluster_up 3
job_script train.sge
slow_links
train_here 6 "${flags[@]}" --output_dir=/mnt/home/here

job=$(submit first -pe 'mpi*' 6 -masterq 'all.q@n2' train.sge first "${flags[@]}")
trains first
node_off n2
end_of 200 first "$job"
cat /mnt/home/first.log
ends_like first here
