#!/bin/bash
# --ps_transport: values and gradients through a window or as messages, with the same bits, and what happens where there
# can be no window.
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/expect.sh"
# shellcheck source=tests/launch/own_mounts.sh
source "$(dirname "$0")/own_mounts.sh"

train="$(train)"
slow=30
[[ -z ${LOCKSTEP_SANITIZE:-} ]] || slow=60
flags=(--model=mlp '--hparams=hidden_size=24,batch_size=16,learning_rate_schedule=constant' --train_steps=20
       --global_batch_size=16 --local_eval_frequency=0)
servers=(--ps_replicas=1 --max_staleness=0)

# shellcheck disable=SC2046  # $(mpi N) is a command line
{
  expect 0 $slow '*:*' "$train" "${flags[@]}" --output_dir="$folder/alone"
  alone=$(parameters_of "$folder/alone")
  [[ -n $alone ]] || complain "no digest of the parameters"
  for transport in auto rma p2p; do
    expect 0 $slow '*:*' $(mpi 4) "$train" "${flags[@]}" "${servers[@]}" --ps_transport=$transport \
      --output_dir="$folder/$transport"
    if [[ $transport == p2p ]]; then
      never_says 'MPI settings: .*osc='
      says 'strategy parameter_server: .*; values and gradients go as messages$'
    else
      says 'MPI settings: .*osc=sm '
      says 'strategy parameter_server: .*; values and gradients go through a window$'
    fi
    [[ $(parameters_of "$folder/$transport") == "$alone" ]] || complain "--ps_transport=$transport: other bits"
  done

  # Only the chief knows of servers before MPI starts.
  expect 0 $slow '*values and gradients go as messages: not every rank knew *' $(mpi 1) "$train" "${flags[@]}" \
    "${servers[@]}" : -np 2 "$train"
  expect 78 $slow '*--ps_transport=rma: not every rank knew *; give --ps_transport=rma to all ranks, *' \
    $(mpi 1) "$train" "${flags[@]}" "${servers[@]}" --ps_transport=rma : -np 2 "$train"
  expect 0 $slow '*go through a window' $(mpi 1) "$train" "${flags[@]}" "${servers[@]}" --ps_transport=rma : \
    -np 2 "$train" --ps_transport=rma
  # A component of the user's choice.
  expect 0 $slow "*go as messages: MPI's one-sided component (osc) was chosen by *" $(mpi 3) env OMPI_MCA_osc=sm \
    "$train" "${flags[@]}" "${servers[@]}"
  expect 64 $slow '*--ps_transport=rma: has a meaning with --strategy=parameter_server only; *' $(mpi 2) "$train" \
    "${flags[@]}" --ps_transport=rma
  expect 64 $slow '*--ps_transport=tcp: *' $(mpi 2) "$train" "${flags[@]}" "${servers[@]}" --ps_transport=tcp

  if ((${#own_mounts[@]} > 0)); then
    # shellcheck disable=SC2016
    small=(bash -c 'mount -t tmpfs -o size=$0,mode=1777 shm /dev/shm && exec "$@"')
    large='--hparams=hidden_size=512,batch_size=16'
    expect 0 $slow '*go as messages: /dev/shm has room for a window of * MB, and the servers need one of * MB' \
      "${own_mounts[@]}" "${small[@]}" 8m $(mpi 4) "$train" "${flags[@]/--hparams=*/$large}" "${servers[@]}"
    expect 78 $slow '*--ps_transport=rma: /dev/shm has room for a window of * MB, *; --ps_transport=p2p needs none there; *' \
      "${own_mounts[@]}" "${small[@]}" 8m $(mpi 4) "$train" "${flags[@]/--hparams=*/$large}" "${servers[@]}" \
      --ps_transport=rma
    # Each rank in a container of its own.
    export OMPI_MCA_btl=tcp,self
    expect 0 $slow '*go as messages: the ranks of this host do not share /dev/shm, *' \
      $(mpi 3) "${own_mounts[@]}" "${small[@]}" 8m "$train" "${flags[@]}" "${servers[@]}"
    expect 78 $slow '*--ps_transport=rma: the ranks of this host do not share /dev/shm, *; let their containers share it *' \
      $(mpi 3) "${own_mounts[@]}" "${small[@]}" 8m "$train" "${flags[@]}" "${servers[@]}" --ps_transport=rma
  else
    echo "not shown: this user may not mount"
  fi
}
exit "$failed"
