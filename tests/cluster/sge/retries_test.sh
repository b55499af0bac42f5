#!/bin/bash
# A program that always ends as if a host were lost, and saves nothing, is started again three times, then no more.
# shellcheck source=tests/cluster/sge/jobs.sh
source tests/cluster/sge/jobs.sh
cluster_up 2
job_script train.sge 1
printf '#!/bin/bash\nexit 70\n' >/mnt/home/broken
chmod 755 /mnt/home/broken
sed -i 's|^program=.*|program=/mnt/home/broken|' /mnt/home/train.sge

job=$(submit broken -pe mpi 2 train.sge run)
end_of 120 broken "$job"
wait_until 60 exit_status_is 70 "$job" || complain "not a failure: $(qacct -j "$job")" /mnt/home/broken.log
starts=$(grep -c 'train.sge: job' /mnt/home/broken.log)
((starts == 4)) || complain "$starts starts, not 4" /mnt/home/broken.log
