#!/bin/bash
# --strategy=parameter_server over real processes: the bits of one rank where no gradient may be old, stopped and resumed
# with another number of servers, the order of a run applied again, ranks that are stopped or killed, and refusals.
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/expect.sh"

train="$(train)"
slow=40
[[ -z ${LOCKSTEP_SANITIZE:-} ]] || slow=120
flags=('--hparams=hidden_size=64,batch_size=32,optimizer=momentum,learning_rate=0.05,learning_rate_schedule=constant'
  --local_eval_frequency=0 --eval_steps=1 --log_every=50)

# job RANKS FOLDER FLAGS...: trains; its output is in $folder/err, its files are in $folder/FOLDER.
job() { # shellcheck disable=SC2046  # words on purpose
  expect 0 $slow '*:*' $(mpi "$1") "$train" "${flags[@]}" --output_dir="$folder/$2" "${@:3}"
}
# same FOLDER FOLDER: checks that both runs ended with the same parameters.
same() { [[ -n $(parameters_of "$folder/$1") && $(parameters_of "$folder/$1") == "$(parameters_of "$folder/$2")" ]] || complain "$1, $2: other parameters"; }

job 1 alone --train_steps=60
for transport in p2p rma; do
  job 4 "exact_$transport" --train_steps=60 --ps_replicas=2 --max_staleness=0 --ps_transport=$transport
  says 'rank 3  parameter server  '
  says 'strategy parameter_server: 2 servers hold the parameters'
  says 'steps by rank: [0-9]+, [0-9]+$'
  same alone "exact_$transport"
done

# In 16 bits, through a window and as messages; the average of --ema with it.
for transport in p2p rma; do
  job 4 "narrow_$transport" --train_steps=60 --ps_replicas=2 --max_staleness=0 --ps_transport=$transport --wire_dtype=bfloat16 --ema=0.9
done
says 'values and gradients go in bfloat16 through a window'
same narrow_p2p narrow_rma

# Stopped on request, and continued with another number of servers and of ranks that train, then without any.
# shellcheck disable=SC2016  # all of it is the inner shell's
ask='"$@" & until grep -q "step [0-9]*/" "$SEEN"; do sleep 0.05; done; kill -USR1 $!; wait $!'
# shellcheck disable=SC2046
SEEN="$folder/err" expect 75 $slow '*stopped after * saved; run the same command again to continue' bash -c "$ask" ask $(mpi 4) \
  "$train" "${flags[@]}" --output_dir="$folder/turns" --train_steps=1000000 --ps_replicas=2
made=$(sed -n 's/.*"step": *\([0-9]*\).*/\1/p' "$folder/turns/checkpoint.json" | head -n 1)
job 3 turns --train_steps=$((made + 100)) --ps_replicas=1
says "trained $((made + 100)) steps"
job 2 turns --train_steps=$((made + 130)) --allow_changes=strategy
says 'saved by a job with parameter servers'
says "trained $((made + 130)) steps"

# A request that reaches one worker, or one server, alone.
for asked in 1:1 2:3; do # mpirun's number, and the job's, in which the last process is the first server
  # shellcheck disable=SC2046
  SEEN="$folder/err" expect 75 $slow "*asked to stop by SIGTERM, seen by rank ${asked#*:}: stopping after step *" $(mpi 4) \
    bash -c "$signal_rank" "${asked%:*}" TERM 'step [0-9]*/' 0 "$train" "${flags[@]}" --output_dir="$folder/asked_${asked%:*}" --train_steps=1000000 --ps_replicas=2
done

# Ranks add their updates by themselves: as often as there are steps, also in a run that goes on.
added=("${flags[@]/momentum/sgd}" --ps_apply=accumulate --output_dir="$folder/added")
# shellcheck disable=SC2046
{
  expect 0 $slow '*:*' $(mpi 5) "$train" "${added[@]}" --ps_replicas=2 --train_steps=200 --save_checkpoints_steps=20
  says 'strategy parameter_server: 2 servers hold .*, and adds its updates to the values itself; values and updates go through a window$'
  says 'steps by rank: [0-9]+, [0-9]+, [0-9]+$'
  expect 0 $slow '*:*' $(mpi 4) "$train" "${added[@]}" --ps_replicas=1 --train_steps=300
  says 'trained 300 steps'
}

# The order in which gradients were applied, once more.
job 4 first --train_steps=80 --ps_replicas=1 --ps_log
log=$(echo "$folder"/first/ps_log*.jsonl)
job 4 again --train_steps=80 --ps_replicas=1 --ps_replay="$log"
same first again

# A rank that is stopped for longer than --hang_timeout is named by those that wait for it.
# stopped RANK PATTERN FLAGS...
stopped() { # shellcheck disable=SC2046
  SEEN="$folder/err" expect 70 $slow "$2" $(mpi 3) bash -c "$signal_rank" "$1" STOP 'step [0-9]*/' 0 "$train" "${flags[@]}" --train_steps=100000000 \
    --ps_replicas=1 --hang_timeout=4 "${@:3}"
}
stopped 2 '*rank 2 on *, parameter server 0, has not answered to rank ? on * for 4 s: *' --ps_transport=p2p
stopped 1 '*rank 1 on * has not ended its step for 4 s, and rank 0 on * waits for it: *' --ps_transport=p2p --max_staleness=0

# A killed rank ends the job.
for rank in 0 1 2; do # shellcheck disable=SC2046
  SEEN="$folder/err" expect 137 $slow '*:*' $(mpi 3) bash -c "$signal_rank" "$rank" KILL 'step [0-9]*/' 0 "$train" "${flags[@]}" --train_steps=100000000 \
    --ps_replicas=1
done

# shellcheck disable=SC2046
{
  expect 78 $slow '*--ps_replicas=3: that is 3 parameter servers and at least 1 rank to train, and this job has 3 ranks: mpirun -np 4 *' $(mpi 3) "$train" "${flags[@]}" --ps_replicas=3
  expect 78 $slow '*--strategy=parameter_server*--ps_replicas=*' $(mpi 2) "$train" "${flags[@]}" --strategy=parameter_server
  expect 78 $slow '*--exact *parameter_server*' $(mpi 3) "$train" "${flags[@]}" --ps_replicas=1 --exact --global_batch_size=32
  expect 78 $slow '*--ps_apply=accumulate: it works with plain SGD only, and the optimizer is momentum; give --hparams=optimizer=sgd, *' \
    $(mpi 3) "$train" "${flags[@]}" --ps_replicas=1 --ps_apply=accumulate
  expect 78 $slow '*--max_staleness=3 cannot be kept with --ps_apply=accumulate: *' $(mpi 3) "$train" "${flags[@]}" --ps_replicas=1 \
    --ps_apply=accumulate --max_staleness=3
  expect 64 $slow '*--max_staleness=3: has a meaning with --strategy=parameter_server only; *' $(mpi 2) "$train" "${flags[@]}" --max_staleness=3
}
exit "$failed"
