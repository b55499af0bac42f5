#!/bin/bash
# A job that is held and suspended saves and waits in the queue; released, it ends with the bits of a run without a pause.
# shellcheck source=tests/cluster/sge/jobs.sh
source tests/cluster/sge/jobs.sh
cluster_up 3
job_script train.sge
slow_links
train_here 6 "${flags[@]}" --output_dir=/mnt/home/here

job=$(submit suspended -pe mpi 6 train.sge suspended "${flags[@]}")
trains suspended
as_researcher qhold "$job"
as_researcher qmod -sj "$job"
wait_until 60 in_state hRq "$job" || complain "not back in the queue: $(qstat -u '*')" /mnt/home/suspended.log
said 'asked to stop by SIGUSR1.* stopping after step' /mnt/home/suspended.log || complain "not stopped" /mnt/home/suspended.log
as_researcher qrls "$job"
end_of 90 suspended "$job"
ends_like suspended here
