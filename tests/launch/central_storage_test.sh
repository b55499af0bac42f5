#!/bin/bash
# --strategy=central_storage over real processes: the results of sync in less memory, checkpoints from which either
# strategy continues, and one message if the ranks cannot share one copy of the parameters.
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/expect.sh"

train="$(train)"
slow=40
[[ -z ${LOCKSTEP_SANITIZE:-} ]] || slow=120
flags=('--hparams=hidden_size=1200,batch_size=8,optimizer=adam,learning_rate_schedule=constant,clip_grad_norm=1'
  --local_eval_frequency=0 --eval_steps=1 --log_every=0)

# job RANKS FOLDER FLAGS...: trains; its output is in $folder/err, its files are in $folder/FOLDER.
job() { # shellcheck disable=SC2046  # words on purpose
  expect 0 $slow '*:*' $(mpi "$1") "$train" "${flags[@]}" --output_dir="$folder/$2" "${@:3}"
}
# value NAME FOLDER: prints a value of the end line of a run.
value() { sed -n "s/.*\"kind\": \"end\".*\"$1\": \"\?\([0-9a-f]*\).*/\1/p" "$folder/$2/metrics.jsonl" | tail -n 1; }

for ranks in 2 3; do
  job $ranks "sync$ranks" --train_steps=6 --collective=shm
  job $ranks "central$ranks" --train_steps=6 --strategy=CentralStorageStrategy
  says 'strategy central_storage: gradients are summed over shm .*; all ranks have one copy of the [0-9.]+ MB of parameters; each rank updates a part'
  expected=$(parameters_of "$folder/sync$ranks")
  [[ -n $expected ]] || complain "no digest of the parameters"
  [[ $(parameters_of "$folder/central$ranks") == "$expected" ]] || complain "$ranks ranks: other parameters than sync's"
  if [[ -z ${LOCKSTEP_SANITIZE:-} ]]; then # its memory is mostly the sanitizer's
    (($(value peak_memory_bytes "central$ranks") < $(value peak_memory_bytes "sync$ranks"))) ||
      complain "$ranks ranks: as much memory as sync"
  fi
done

# Either strategy continues from the other's checkpoint, and ends with the result of one run of sync.
job 2 turns --train_steps=2 --strategy=central_storage
job 2 turns --train_steps=4
job 2 turns --train_steps=6 --strategy=central_storage --overlap=thread
[[ $(parameters_of "$folder/turns") == "$(parameters_of "$folder/sync2")" ]] || complain "sync and central_storage in turn: other parameters"

job 1 alone --train_steps=2 --strategy=central_storage
says 'strategy central_storage: one rank, no exchange'

# shellcheck disable=SC2046
{
  expect 78 $slow "*--strategy=central_storage keeps one copy*: --collective=mpi has none; *--strategy=sync*" $(mpi 2) \
    "$train" "${flags[@]}" --strategy=central_storage --collective=mpi
  expect 78 $slow "*--histogram_every=3 cannot be kept with --strategy=central_storage: *" $(mpi 2) "$train" \
    "${flags[@]}" --strategy=central_storage --histogram_every=3 --output_dir="$folder/none"
  if unshare --pid --fork --mount-proc true 2>/dev/null; then # ranks that cannot open each other's memory
    export OMPI_MCA_btl=tcp,self
    expect 78 $slow "*--strategy=central_storage keeps one copy*ranks of one host need one /proc; *" $(mpi 2) \
      unshare --pid --fork --kill-child --mount-proc "$train" "${flags[@]}" --strategy=central_storage
  else
    echo "not shown: this user may not make pid namespaces"
  fi
}
exit "$failed"
