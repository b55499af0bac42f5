#!/bin/bash
# A job that reaches its time limit has saved before, is queued again and ends with the bits of a run without a limit.
# shellcheck source=tests/cluster/sge/jobs.sh
source tests/cluster/sge/jobs.sh
cluster_up 3
job_script train.sge
slow_links
train_here 6 "${flags[@]}" --output_dir=/mnt/home/here

job=$(submit limited -l h_rt=0:0:20 -pe mpi 6 train.sge limited "${flags[@]}")
end_of 150 limited "$job"
said 'asked to stop by --stop_after' /mnt/home/limited.log || complain "no limit in sight" /mnt/home/limited.log
ends_like limited here
# All steps were saved in time: no start repeats a step that was done before.
[[ $(grep -oE 'stopping after step [0-9]+' /mnt/home/limited.log | grep -oE '[0-9]+$') == \
   "$(grep -oE 'resum.* step [0-9]+' /mnt/home/limited.log | grep -oE '[0-9]+$')" ]] ||
  complain "a start did not resume where the one before was stopped" /mnt/home/limited.log
