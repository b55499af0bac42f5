#!/bin/bash
# --fusion_mb=tune and --overlap=auto: their measurements, messages and kept choices, on ranks that are processes.
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/expect.sh"

train="$(train)"
slow=60
[[ -z ${LOCKSTEP_SANITIZE:-} ]] || slow=120
# Gradients of 0.6 MB: one bucket of 4 MB, or three of 0.25 MB.
flags=('--hparams=hidden_size=160,batch_size=16,learning_rate_schedule=constant' --local_eval_frequency=0 --log_every=100)

# job RANKS FLAGS...: trains; its output is in $folder/err.
job() { # shellcheck disable=SC2046  # words on purpose
  expect 0 $slow '*:*' $(mpi "$1") "$train" "${flags[@]}" "${@:2}"
}

measured='fusion_mb: (4|0.25) MB.* \([0-9]+ steps measured in [0-9.]+ s\)'
job 2 --train_steps=3 --fusion_mb=tune --overlap=inline
says "$measured"
job 2 --train_steps=3 --fusion_mb=tune --overlap=thread --shard_optimizer
says "$measured"
job 1 --train_steps=3 --fusion_mb=tune
says 'fusion_mb: 4 MB kept: one rank exchanges no gradients'
# With one bucket a second thread has nothing to overlap.
job 2 --train_steps=3
never_says 'steps measured'

# If buckets decide the bits (mpi, three ranks), the choice is kept, and a resumed run continues with the same bits.
job 3 --collective=mpi --overlap=inline --train_steps=4 --fusion_mb=tune --output_dir="$folder/first"
says "$measured"
size=$(sed -nE 's/.*gradients are summed over mpi in buckets of ([0-9.]+) MB.*/\1/p' "$folder/err" | head -n 1)
cp -r "$folder/first" "$folder/second"
job 3 --collective=mpi --overlap=inline --train_steps=8 --fusion_mb=tune --output_dir="$folder/first"
says "fusion_mb: $size MB, as in '.*model.ckpt-4.h5'"
never_says 'steps measured'
job 3 --collective=mpi --overlap=inline --train_steps=8 --output_dir="$folder/second"
says "in buckets of $size MB"
job 3 --collective=mpi --overlap=inline --train_steps=8 --fusion_mb="$size" --output_dir="$folder/whole"
whole=$(parameters_of "$folder/whole")
[[ -n $whole ]] || complain "no digest of the parameters"
for run in first second; do
  [[ $(parameters_of "$folder/$run") == "$whole" ]] || complain "$run: other bits than a run with that size from the start"
done
# Another number of ranks measures anew.
job 2 --overlap=inline --train_steps=10 --fusion_mb=tune --output_dir="$folder/first"
says "$measured"
exit "$failed"
