#!/bin/bash
# --on_worker_loss=continue: the job goes on when a worker is killed, with every batch applied once; a lost chief or
# server ends it in seconds with one message; and a start that does not allow it says why.
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/expect.sh"

train="$(train)"
slow=60
steps=8000
flags=('--hparams=hidden_size=64,batch_size=32,optimizer=momentum,learning_rate=0.001,learning_rate_schedule=constant'
  --local_eval_frequency=0 --eval_steps=1 --log_every=50 --ps_replicas=2)
mpirun="$(mpi 5)"
# shellcheck disable=SC2206  # words on purpose
recover=(${mpirun/ / --enable-recovery })

# The killed process is the one with this number of the launcher's, some time after the first line like WHEN: 1 and 2 are
# workers, 3 and 4 servers.
# killed PROCESS WHEN SECONDS PATTERN FOLDER FLAGS...: mpirun's own code says nothing.
killed() {
  SEEN="$folder/err" expect 0 $slow "$4" "${recover[@]}" bash -c "$signal_rank" "$1" KILL "$2" "$3" "$train" \
    "${flags[@]}" --on_worker_loss=continue --output_dir="$folder/$5" "${@:6}"
}
# whole FOLDER: complains unless the log of updates has each batch once, and checkpoint.json says that all is done.
whole() {
  local added
  added=$(sed -n 's/^{"add":\([0-9]*\),.*/\1/p' "$folder/$1/ps_log.0.jsonl" | sort -n | paste -sd ' ')
  [[ $added == "$(seq -s ' ' $steps)" ]] || complain "$1: not every batch was applied once"
  grep -q '"finished": *true' "$folder/$1/checkpoint.json" || complain "$1: checkpoint.json says that something is left"
}

for process in 1 2; do
  killed $process 'step [0-9]*/' 0.$process "*rank ? on * (process *) has ended, and the others go on without it*" "lost_$process" \
    --train_steps=$steps --ps_log
  says 'MPI settings: .*btl_vader_single_copy_mechanism=none'
  says 'values and gradients go as messages: a window fails when one of its ranks dies'
  says "died during the run: rank $process\$"
  says "trained $steps steps"
  whole "lost_$process"
done
expect 0 $slow "*trained $steps steps*" "${recover[@]}" "$train" "${flags[@]}" --on_worker_loss=continue \
  --output_dir="$folder/none" --train_steps=$steps --ps_log
never_says 'died during the run|PMIX ERROR'
whole none

for process in 0 3 4; do
  killed $process 'saved step' 0 "*rank ?, process * on *, has ended, and the job cannot go on without it: *" "ended_$process" \
    --train_steps=100000000 --save_checkpoints_steps=100
  grep -q '"finished": *false' "$folder/ended_$process/checkpoint.json" || complain "$process: no checkpoint"
done

# shellcheck disable=SC2046
{
  expect 78 $slow '*--on_worker_loss=continue: mpirun would end the whole job when one rank dies; *mpirun --enable-recovery' \
    $(mpi 4) "$train" "${flags[@]}" --on_worker_loss=continue
  expect 0 $slow '*--ps_transport=rma: a window fails when one of its ranks dies *; --ps_transport=p2p needs none' \
    "${recover[@]}" "$train" "${flags[@]}" --on_worker_loss=continue --ps_transport=rma
  expect 0 $slow '*--on_worker_loss=continue: MPI was not started for it: *' "${recover[@]}" \
    env OMPI_MCA_btl=vader,self "$train" "${flags[@]}" --on_worker_loss=continue
  expect 0 $slow '*--on_worker_loss=continue: the order of --ps_replay needs all its ranks; *' "${recover[@]}" \
    "$train" "${flags[@]}" --on_worker_loss=continue --ps_replay="$folder/none/ps_log.0.jsonl"
  expect 64 $slow '*--on_worker_loss=continue: has a meaning with --strategy=parameter_server only; *' $(mpi 2) \
    "$train" --on_worker_loss=continue
}
exit "$failed"
