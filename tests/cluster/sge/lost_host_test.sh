#!/bin/bash
# A host of a job is switched off, one that the job script does not run on: the job ends on the remaining hosts, with
# the bits of an uninterrupted run.
# shellcheck source=tests/cluster/sge/jobs.sh
source tests/cluster/sge/jobs.sh
cluster_up 3
job_script train.sge
slow_links
train_here 6 "${flags[@]}" --output_dir=/mnt/home/here

job=$(submit lost -ckpt restart -pe mpi 6 train.sge lost "${flags[@]}")
trains lost
node_off "$(host_of_rank 5 lost)"
end_of 150 lost "$job"
said 'mpirun ended with (70|205)' /mnt/home/lost.log || complain "not noticed" /mnt/home/lost.log
said 'job [0-9]+ on 2 hosts' /mnt/home/lost.log || complain "not on the hosts that are left" /mnt/home/lost.log
ends_like lost here
