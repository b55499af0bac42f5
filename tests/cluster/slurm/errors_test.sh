#!/bin/bash
# Errors that a restart would only repeat end the job; others are tried three times, and the job is requeued while its
# own old copy has the output directory. Errors that one rank finds before MPI starts end a step of srun with their own
# code, though the others are killed meanwhile.
# shellcheck source=tests/cluster/slurm/jobs.sh
source tests/cluster/slurm/jobs.sh
cluster_with_jobs 100

# ends NAME CODE STARTS: checks the last code and the number of starts of a job.
ends() {
  wait_until 100 gone_by_name "$1" || complain "$1 does not end" "$(log_of "$1")"
  [[ $(grep -c 'start [0-9]* on' "$(log_of "$1")") == "$3" ]] || complain "$1 was not started $3 times" "$(log_of "$1")"
  expect_said 1 "train ended with $2\$" "$1"
}
gone_by_name() { [[ -z $(squeue --noheader --name="$1") ]]; }

sed "s|^flags=.*|flags=(--problem=arrays --data_dir=/nowhere)|" $home/mpirun.sbatch >$home/input.sbatch
sed "s|^flags=.*|flags=(--no_such_flag)|" $home/mpirun.sbatch >$home/usage.sbatch
sed "s|^launch=.*|launch=(/nowhere/srun)|" $home/mpirun.sbatch >$home/path.sbatch
# For the script, a program that dies by itself looks like one whose node has died. Slurm does not answer the first
# query about this job.
mkdir $home/bin
cat >$home/bin/squeue <<'PROGRAM'
#!/bin/bash
[[ $* != *RestartCnt* ]] || ! mkdir ~/asked 2>/dev/null || exit 1
exec /usr/bin/squeue "$@"
PROGRAM
chmod 755 $home/bin/squeue
sed "s|^train=.*|train=/bin/false; PATH=$home/bin:\$PATH|" $home/mpirun.sbatch >$home/dies.sbatch
# The job's old copy, which still writes to the output directory, ends between the two starts.
cat >$home/held <<'PROGRAM'
#!/bin/bash
lease=$(sed -n 's|.*--output_dir=\([^ ]*\).*|\1/lease.json|p' <<<"$*")
((${SLURM_RESTART_COUNT:-0} == 0)) || exit 0
mkdir -p "${lease%/*}"
beat() { echo "{\"job_id\":\"slurm $SLURM_JOB_ID\",\"heartbeat\":$1}" >"$lease"; }
beat 0
for ((heartbeat = 1; heartbeat < 6; heartbeat++)); do sleep 5; beat $heartbeat; done &
exit 78
PROGRAM
chmod 755 $home/held
sed "s|^train=.*|train=$home/held|; s|^launch=.*|launch=()|" $home/mpirun.sbatch >$home/held.sbatch
for name in input usage path dies held; do submit $name; done
ends input 66 1
ends usage 64 1
ends path 127 1
expect_said 1 'not requeued: mend what is named above' path
ends dies 1 3
ends held 0 2
expect_said 1 'failed 3 times since its newest checkpoint' dies
[[ -d $home/asked ]] || complain "Slurm was not asked whose the job is"
[[ $(wc -l <"$(output_of dies)/failures") == 3 ]] || complain "not three failures are listed" "$(output_of dies)/failures"

export SLURM_PMIX_DIRECT_CONN=false  # docs/launching-slurm.md
# step CODE WORD OPTION FLAG...: runs a step of srun by hand. On a busy machine srun may kill a rank that has not
# reached its main() yet, which no program can prevent: its own code is 143 then, and the step is repeated.
step() {
  local code try
  for try in 1 2 3 4 5; do
    code=0
    as_researcher srun --chdir=$home --nodes=3 --ntasks-per-node=2 --kill-on-bad-exit "$3" "$build/train" "${@:4}" \
      >$home/step.log 2>&1 || code=$?
    if ((code != 143)) || ! said "Exited with exit code $1\$" $home/step.log; then break; fi
    echo "try $try: srun has killed a rank before its start"
  done
  ((code == $1)) || complain "srun $3 train ${*:4}: code $code, expected $1" $home/step.log
  said "$2" $home/step.log || complain "srun $3 train ${*:4}: no line of '$2'" $home/step.log
}
step 64 no_such_flag --mpi=pmix --no_such_flag
step 78 'srun --mpi=pmix' --mpi=pmi2 --train_steps=5
step 78 'srun --mpi=pmix' --mpi=none --train_steps=5
