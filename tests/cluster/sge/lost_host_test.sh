#!/bin/bash
# A host is switched off under a job, one that the job script does not run on: the job ends on the hosts that are left, with
# the bits of an uninterrupted run.
# shellcheck source=tests/cluster/sge/jobs.sh
source tests/cluster/sge/jobs.sh
cluster_up 3
job_script train.sge
slow_links
train_here 6 "${flags[@]}" --output_dir=/mnt/home/here

job=$(submit lost -pe 'mpi*' 6 -masterq 'all.q@n[13]' train.sge lost "${flags[@]}")
trains lost
node_off n2
end_of 200 lost "$job"
cat /mnt/home/lost.log
ends_like lost here
