#!/bin/bash
# Ends of jobs in which one rank of three fails: the right rank and phase are named, code 70, in time.
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/expect.sh"

slow=40 # MPI's start also has the time-out of a hang: a busy machine needs room for it
[[ -z ${LOCKSTEP_SANITIZE:-} ]] || slow=60
faulty="$(faulty_train) --model=mlp_faulty --hang_timeout=6s"

# One rank throws, from our code and from other code; one gets NaN, which reaches all.
# shellcheck disable=SC2046,SC2086
{
  expect 65 $slow "*r1/3 E*a fault was planted here" $(mpi 3) $faulty --hparams=fault=throw
  expect 70 $slow "*r2/3 E*unexpected: a foreign exception*" $(mpi 3) $faulty --hparams=fault=throw_std,fault_rank=2
  expect 70 $slow "*r1/3 E*unexpected: an exception that says nothing*" $(mpi 3) $faulty --hparams=fault=throw_number,fault_rank=1
  expect 65 $slow "*r0/3 E*a fault was planted here" $(mpi 3) $faulty --hparams=fault=throw,fault_rank=0 --overlap=thread
  expect 70 $slow "*r0/3 E*the loss at step 50 is not finite*" $(mpi 3) $faulty --hparams=fault=nan
  # A layer forgets to report its gradients, on all ranks: reported once.
  expect 70 $slow "*r0/3 E*layer fault_2 (variable fault_2/slope) did not report all gradients as ready: *" $(mpi 3) $faulty --hparams=fault=forget
  # The exception of std::thread at a limit: the message names the limits.
  expect 70 $slow "*r1/3 E*refused to start a thread: this user may have * (ulimit -u)*" $(mpi 3) $faulty --hparams=fault=no_thread
  # One rank sleeps before a collective: the watchdog names it, its step and its phase.
  expect 70 $slow "Rank 1 on * did not arrive: it is at step 50, for * in phase compute." $(mpi 3) $faulty --hparams=fault=sleep
  expect 70 $slow "Rank 2 on * did not arrive: it is at step 50, for * in phase compute." $(mpi 3) $faulty --hparams=fault=sleep,fault_rank=2 --overlap=thread
}

# One rank is stopped before MPI starts: there is no status page yet, but the others do not wait forever.
stop_first="if [ \$OMPI_COMM_WORLD_RANK = 1 ]; then kill -STOP \$\$; fi; exec $faulty"
# shellcheck disable=SC2046
expect 70 $slow "*:*rank */3 has waited 6 s for MPI to start: another rank did not come*" $(mpi 3) bash -c "$stop_first"

# A process that is not train: the rank that waits for it says so, long before --hang_timeout, which is 60 s here.
late="sleep 0.5; exec $(train) --train_steps=5"
# shellcheck disable=SC2046
{
  expect 78 $slow "*rank 1/2 waits for MPI to start, but rank 0 ended before calling MPI_Init*" \
    $(mpi 1) "$(train)" --version : -np 1 bash -c "$late"
  expect 78 $slow "*rank 0/3 waits for MPI to start, but rank 2 ended before calling MPI_Init*" \
    $(mpi 2) bash -c "$late" : -np 1 true
}

# Variables of PyTorch's launcher and of others.
expect 78 $slow "*torchrun or a script like it started 2 processes*mpirun -np 2 build/train*" \
  env WORLD_SIZE=2 RANK=0 "$(train)" --train_steps=5
expect 78 $slow "*horovodrun or a script like it started 2 processes*mpirun -np 2 build/train*" \
  env HOROVOD_SIZE=2 HOROVOD_RANK=0 "$(train)" --train_steps=5
expect 78 $slow "*SageMaker started 2 processes*mpirun -np 2 --host a,b build/train*" \
  env SM_HOSTS='["a", "b"]' SM_CURRENT_HOST=a "$(train)" --train_steps=5

# If nothing was saved, a stop does not ask for another run; --stop_after is then an ordinary end.
expect 0 $slow "*stopped after * step?(s) *nothing is saved, because there is no --output_dir*" \
  "$(train)" --train_steps=1000000 --local_eval_frequency=0 --stop_after=1s
# shellcheck disable=SC2016  # all of it is the inner shell's
stop_soon='"$0" "$@" & until grep -q "step 10/" "$SEEN"; do sleep 0.1; done; kill -TERM $!; wait $!'
SEEN="$folder/err" expect 143 $slow "*stopped after * steps *nothing is saved, because there is no --output_dir*" \
  bash -c "$stop_soon" "$(train)" --train_steps=1000000 --log_every=10 --local_eval_frequency=0

# A killed rank is named by the one that waits for it in shared memory, even if mpirun is silenced (scripts/quickstart).
# The time-out leaves that rank enough time on a busy machine.
# shellcheck disable=SC2046
SEEN="$folder/err" OMPI_MCA_orte_execute_quiet=1 expect 137 $slow "*r0/2 E*rank 1 (process *) has ended while the others wait for it in *" \
  $(mpi 2) --mca odls_base_sigkill_timeout 10 bash -c "$signal_rank" 1 KILL 'step 10/' 0 "$(train)" --train_steps=1000000 --log_every=10 --local_eval_frequency=0

# A rank whose launcher has ended does not stay, even if Open MPI does not notice: here a shell is the launcher, between
# mpirun and the rank, and is killed. The code is that of mpirun, which misses an MPI_Finalize.
# shellcheck disable=SC2016  # all of it is the inner shells'
{
  launch='PMIX_NAMESPACE=$JOB PMIX_RANK=0 "$0" "$@" & until grep -q "step 10/" "$SEEN"; do sleep 0.1; done; kill -KILL $$'
  outlive='env -u PMIX_NAMESPACE -u PMIX_RANK JOB="$PMIX_NAMESPACE" bash -c "$@"; while pgrep -s 0 -x train; do sleep 0.1; done'
}
# shellcheck disable=SC2046
SEEN="$folder/err" expect 1 $slow "*the launcher has ended and has left rank 0 behind, which ends now" $(mpi 1) \
  bash -c "$outlive" outlive "$launch" "$(train)" --train_steps=100000000 --log_every=10 --local_eval_frequency=0

# Ranks of one job with different flags.
# shellcheck disable=SC2046,SC2086
expect 78 $slow "*do not run the same job: --train_steps is '2' on rank 0 (chief, *) and '3' on rank 1 (worker 0, *)*" \
  $(mpi 1) $faulty --train_steps=2 : -np 1 $faulty --train_steps=3

# A process that may open only one file at a time, besides inherited ones, gets no further than the folder. A sanitizer
# opens files of its own.
if [[ -z ${LOCKSTEP_SANITIZE:-} ]]; then
  # shellcheck disable=SC2016  # $0 and $@ are the inner shell's
  expect 70 $slow "*Too many open files: this process may have 4 open (ulimit -n)*" \
    bash -c 'for number in {3..99}; do eval "exec $number>&-"; done; ulimit -S -n 4; exec "$0" "$@"' \
    "$(train)" --train_steps=5 --output_dir="$folder/few_files"
fi

# If our output is closed, the output is lost, and nothing else.
code=0
"$(train)" --train_steps=100 --output_dir="$folder/run" 2>&- || code=$?
[[ $code == 0 ]] || complain "closed standard error: exit code $code"
[[ $(grep -cv '^{' "$folder/run/metrics.jsonl") == 0 ]] || complain "closed standard error: a log line in metrics.jsonl"
code=$({ "$(train)" --train_steps=100 2>&1; echo "code $?" >"$folder/code"; } | head -n 2 >/dev/null; cat "$folder/code")
[[ $code == "code 0" ]] || complain "a reader that left early: exit $code"

# If a result cannot be delivered, the program fails.
nobody_reads() {
  local code=0
  "$@" >&- 2>"$folder/err" || code=$?
  [[ $code == 74 ]] || complain "$*, closed standard output: exit code $code, expected 74"
  code=0
  "$@" >/dev/full 2>"$folder/err" || code=$?
  [[ $code == 74 ]] || complain "$*, standard output on a full disk: exit code $code, expected 74"
}
for request in --version --help --registry_help --print_hparams; do nobody_reads "$(train)" "$request"; done
nobody_reads "$LOCKSTEP_BUILD_DIR/lockstep" --version

# One rank is stopped from outside.
begin=$SECONDS
# shellcheck disable=SC2046,SC2086
setsid $(mpi 3) $faulty >"$folder/out" 2>"$folder/err" </dev/null &
started=$!
while ! grep -q 'step 100/' "$folder/err" && ((SECONDS - begin < 60)); do sleep 0.1; done
victim=""
for process in $(pgrep -s "$started" -f faulty_train); do
  if grep -qzx OMPI_COMM_WORLD_RANK=1 "/proc/$process/environ" 2>/dev/null; then victim=$process; fi
done
begin=$SECONDS
kill -STOP "$victim"
code=0
wait "$started" || code=$?
started=""
check_end 70 $slow "Rank 1 on * is stopped: no sign of life for *; it is at step *, in phase *." "$code" $((SECONDS - begin)) "a rank stopped by SIGSTOP"
exit $failed
