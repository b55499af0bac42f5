#!/bin/bash
# Errors that starting again would only repeat end the job; others are tried three times.
# shellcheck source=tests/cluster/slurm/jobs.sh
source tests/cluster/slurm/jobs.sh
cluster_with_jobs 100

# ends NAME CODE STARTS
ends() {
  wait_until 100 gone_by_name "$1" || complain "$1 does not end" "$(log_of "$1")"
  [[ $(grep -c 'start [0-9]* on' "$(log_of "$1")") == "$3" ]] || complain "$1 was not started $3 times" "$(log_of "$1")"
  expect_said 1 "train ended with $2\$" "$1"
}
gone_by_name() { [[ -z $(squeue --noheader --name="$1") ]]; }

sed "s|^flags=.*|flags=(--problem=arrays --data_dir=/nowhere)|" $home/mpirun.sbatch >$home/input.sbatch
sed "s|^flags=.*|flags=(--no_such_flag)|" $home/mpirun.sbatch >$home/usage.sbatch
# To the script, a program that dies by itself is no different from one whose node has died.
sed "s|^train=.*|train=/bin/false|" $home/mpirun.sbatch >$home/dies.sbatch
for name in input usage dies; do submit $name; done
ends input 66 1
ends usage 64 1
ends dies 1 3
expect_said 1 'failed 3 times since its newest checkpoint' dies
[[ $(wc -l <"$(output_of dies)/failures") == 3 ]] || complain "not three failures are listed" "$(output_of dies)/failures"
