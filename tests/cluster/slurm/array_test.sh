#!/bin/bash
# An array job: each task trains its own run. The task whose job ID is the array's is requeued like any other, and no
# other with it.
# shellcheck source=tests/cluster/slurm/jobs.sh
source tests/cluster/slurm/jobs.sh
cluster_with_jobs 200
edit_script scripts/slurm/sweep.sbatch >$home/sweep.sbatch

array=$(submit sweep --nodes=2 --output=$home/%a.log)
for task in 0 1 2 3; do expect_said 60 'step 75/' $task; done
whole=$(squeue --noheader --array --states=running --format='%A %K' | sed -n "s/^$array //p")
[[ $whole =~ ^[0-3]$ ]] || complain "no task has the number of the array"
as_researcher scancel --batch --signal=USR1 "${array}_$whole"
for task in 0 1 2 3; do
  wait_until 120 finished "$home/runs/sweep/$task" || complain "task $task does not finish" "$(log_of $task)"
  [[ $task == "$whole" ]] || ! said 'train ended with 75' "$(log_of $task)" ||
    complain "task $task was stopped too" "$(log_of $task)"
done
expect_said 1 'train ended with 75' "$whole"
grep -l 'learning_rate=0.03' $home/?.log | diff - <(log_of 3)
[[ $(for task in 0 1 2 3; do parameters_of $home/runs/sweep/$task; done | sort -u | wc -l) == 4 ]] ||
  complain "two tasks have the same parameters"
