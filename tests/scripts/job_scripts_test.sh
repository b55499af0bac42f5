#!/bin/bash
# The job scripts' reactions to a code of train, a signal and the version of MPI, with planted programs in place of a
# scheduler's: tests/cluster runs the scripts on real ones.
set -uo pipefail
source_root=$(cd "$(dirname "$0")/../.." && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir "$root/bin" "$root/tmp"
cd "$root" || exit

# check WHAT EXPECTED GOT: compares two texts.
wrong=0
check() {
  [[ $2 == "$3" ]] || {
    echo "FAILED: $1: expected '$2', got '$3'"
    cat "$root/log"
    wrong=1
  }
}

# plant NAME: writes a program whose lines come from the standard input.
plant() {
  { echo '#!/bin/bash'; cat; } >"$root/bin/$1"
  chmod 755 "$root/bin/$1"
}
plant squeue <<<'[[ $* == *RestartCnt* ]] && echo "RUNNING 0 None" || echo 1:00:00'
plant scontrol <<<"echo \"\$*\" >>$root/requeued"
plant sleep <<<'[[ ! -e beating ]] || echo "{\"job_id\": \"slurm 17\", \"heartbeat\": 2}" >run/lease.json'
# shellcheck disable=SC2016  # for the program to expand
plant train <<<'echo "${OMPI_MCA_orte_launch_agent:-nothing}" >agent; exit $(<code)'

# slurm CODE COMMAND...: runs until_finished over a train that ends with CODE; prints until_finished's code, and the job
# that it requeues.
slurm() {
  rm -f requeued agent
  echo "$1" >code
  PATH=$root/bin:$PATH SLURM_JOB_ID=17 SLURM_JOB_NODELIST=n1 "$source_root/scripts/slurm/until_finished" run 120 "${@:2}" \
    >log 2>&1
  echo "$? $(cat requeued 2>/dev/null)"
}
unset OMPI_MCA_orte_launch_agent SLURM_ARRAY_JOB_ID SLURM_JOB_END_TIME SLURM_RESTART_COUNT
check "Slurm, 0" "0 " "$(slurm 0 train)"
check "Slurm, 75" "75 requeue 17" "$(slurm 75 train)"
check "Slurm, 78" "78 " "$(slurm 78 train)"
mkdir -p run
echo '{"job_id": "slurm 17", "heartbeat": 1}' >run/lease.json
check "Slurm, 78 where a start that was killed has left its lease" "78 " "$(slurm 78 train)"
touch beating
check "Slurm, 78 where an old copy lives" "78 requeue 17" "$(slurm 78 train)"
rm -r run beating

# fails: prints what train and mpirun print about an error. The log of a requeued job begins with those of earlier starts.
plant fails <<'END'
echo "[  1.0s r0/2 E] n1: disk full"
printf -- '--------\nMPI_ABORT was invoked on rank 0\n'
exit 74
END
# last_lines LOG: prints the lines after mpirun's, without their times.
last_lines() { sed '1,/MPI_ABORT was/d; s/^[^a-zA-Z]*//; s/train\.sge: //; s/job 17\] //' "$1"; }
echo "[  1.0s r0/2 E] n1: of an earlier start" >log
PATH=$root/bin:$PATH SLURM_JOB_ID=17 SLURM_JOB_NODELIST=n1 "$source_root/scripts/slurm/until_finished" run 120 fails >>log 2>&1
check "Slurm, the error comes last" "train ended with 74
[  1.0s r0/2 E] n1: disk full
not requeued: mend what is named above, then submit the same again: it resumes" "$(last_lines log)"
echo "[  1.0s r0/2 E] n1: of an earlier start" >log
PATH=$root/bin:$PATH SLURM_JOB_ID=17 SLURM_JOB_NODELIST=n1 "$source_root/scripts/slurm/until_finished" run 120 train >>log 2>&1
check "Slurm, an earlier start's error" 1 "$(grep -c 'of an earlier start' log)"
SLURM_JOB_END_TIME=$((EPOCHSECONDS - 5)) slurm 0 train >/dev/null
check "Slurm, a time limit that seems to be over" 1 "$(grep -c -- '--stop_after=1s$' log)"

slurm 0 train --stop-after 5m >/dev/null
check "Slurm, a --stop_after of the user's" 0 "$(grep -c -- '--stop_after' log)"

# Only the daemons of Open MPI 4 and before are called orted.
for version in 4.1.4 5.0.3; do
  plant mpirun <<<"if [[ \$1 == --version ]]; then echo 'mpirun (Open MPI) $version'; else shift 2; exec \"\$@\"; fi"
  slurm 0 mpirun --bind-to none train >/dev/null
  expected=nothing
  [[ $version == 5* ]] || expected='env --block-signal=TERM orted'
  check "Slurm, the daemons of Open MPI $version" "$expected" "$(<agent)"
done

# sge CODE [SIGNAL [FLAG OF TRAIN...]]: runs train.sge over an mpirun that ends with CODE, after the script got SIGNAL;
# prints the script's code.
sge() {
  plant mpirun <<<"[[ -z '${2:-}' ]] || kill -'${2:-}' \$PPID; /bin/sleep 0.2; exit $1"
  PATH=$root/bin:$PATH JOB_ID=7 NSLOTS=2 NHOSTS=1 PE=mpi QUEUE=all.q TMPDIR=$root/tmp \
    bash "$source_root/scripts/sge/train.sge" run "${@:3}" >log 2>&1
  echo "$?"
}
plant qstat <<<'exit 1'
plant qconf <<<'exit 1'
plant qalter <<<'exit 0'
check "Grid Engine, 0" 0 "$(sge 0)"
check "Grid Engine, 75" 99 "$(sge 75)"
check "Grid Engine, 64" 64 "$(sge 64)"
check "Grid Engine, 138" 138 "$(sge 138)"
for ((i = 1; i <= 3; i++)); do check "Grid Engine, a killed rank" 99 "$(sge 137)"; done
check "Grid Engine, 143 after three killed ranks" 143 "$(sge 143)"
check "Grid Engine, 0 after USR1" 99 "$(sge 0 USR1)"
check "Grid Engine, 138 after USR1" 99 "$(sge 138 USR1)"
check "Grid Engine, 140 after USR2" 99 "$(sge 140 USR2)"
check "Grid Engine, 64 after USR2" 64 "$(sge 64 USR2)"
plant qstat <<<'echo "hard resource_list:         h_rt=3600"'
check "Grid Engine, a time limit" "0 1" "$(sge 0) $(grep -c -- '--stop_after=35[0-9][0-9]s' log)"
check "Grid Engine, a --stop_after of the user's" "0 1" "$(sge 0 '' --stop_after=5m) $(grep -o -- '--stop_after' log | wc -l)"
plant mpirun <"$root/bin/fails"
echo "[  1.0s r0/2 E] n1: of an earlier start" >log
PATH=$root/bin:$PATH JOB_ID=7 NSLOTS=2 NHOSTS=1 PE=mpi QUEUE=all.q TMPDIR=$root/tmp \
  bash "$source_root/scripts/sge/train.sge" run >>log 2>&1
check "Grid Engine, the error comes last" "mpirun ended with 74
[  1.0s r0/2 E] n1: disk full
over: mend what is named above, then the same qsub resumes" "$(last_lines log)"
exit $wrong
