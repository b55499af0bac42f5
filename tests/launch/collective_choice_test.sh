#!/bin/bash
# --collective: the choice of auto, its fallback if the ranks cannot use it, and that a resumed run keeps it.
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/expect.sh"

train="$(train)"
slow=30
[[ -z ${LOCKSTEP_SANITIZE:-} ]] || slow=60
flags=('--hparams=hidden_size=32,batch_size=16,learning_rate_schedule=constant' --local_eval_frequency=0 --log_every=100)

# job RANKS FLAGS...: trains; its output is in $folder/err.
job() { # shellcheck disable=SC2046  # words on purpose
  expect 0 $slow '*:*' $(mpi "$1") "$train" "${flags[@]}" "${@:2}"
}

job 2 --train_steps=2
says 'gradients are summed over shm in buckets of 4 MB'
never_says ' W\] gradients'
for name in mpi shm hierarchical; do
  job 3 --train_steps=2 --collective=$name
  says "gradients are summed over $name in buckets of 4 MB"
done
job 1 --train_steps=2 --collective=shm

# A table from a file.
cat >"$folder/table.json" <<'END'
{"collective_table": [{"hosts": 1, "ranks_per_host": 2, "ranges": [{"from_bytes": 0, "backend": "shm"},
                                                                   {"from_bytes": 1048576, "backend": "mpi"}]}]}
END
job 2 --train_steps=2 --collective_table="$folder/table.json"
says 'gradients are summed over mpi in buckets of 4 MB'
job 2 --train_steps=2 --collective_table="$folder/table.json" --fusion_mb=0.5
says 'gradients are summed over shm in buckets of 0.5 MB'
echo '{"collective_table": 3}' >"$folder/no_table.json"
# shellcheck disable=SC2046
{
  expect 65 $slow "*no_table.json: collective_table: *--choose prints such a table*" $(mpi 2) "$train" "${flags[@]}" \
    --collective_table="$folder/no_table.json"
  expect 66 $slow "*nowhere.json*" $(mpi 2) "$train" "${flags[@]}" --collective_table="$folder/nowhere.json"
}

# The choice is kept on the same number of ranks until the user changes it explicitly.
job 3 --train_steps=8 --collective=mpi --output_dir="$folder/whole"
job 3 --train_steps=4 --collective=mpi --output_dir="$folder/parts"
job 3 --train_steps=8 --output_dir="$folder/parts"
says "gradients go over mpi as in '.*model.ckpt-4.h5'; the table has shm .* --collective=shm --allow_changes=summation takes it"
whole=$(parameters_of "$folder/whole")
[[ -n $whole ]] || complain "no digest of the parameters"
[[ $(parameters_of "$folder/parts") == "$whole" ]] || complain "resumed, other bits"
# shellcheck disable=SC2046
expect 78 $slow "*summation: 'mpi, *' there, 'shm' here" $(mpi 3) "$train" "${flags[@]}" --train_steps=10 \
  --collective=shm --output_dir="$folder/parts"
job 3 --train_steps=10 --collective=shm --allow_changes=summation --output_dir="$folder/parts"
says "summed over shm"
job 3 --train_steps=12 --output_dir="$folder/parts"
says "summed over shm"
never_says "as in '.*model.ckpt"
job 2 --train_steps=14 --output_dir="$folder/parts"
says "summed over shm"

# Ranks that cannot open each other's memory, each in a /proc of its own.
if unshare --pid --fork --mount-proc true 2>/dev/null; then
  export OMPI_MCA_btl=tcp,self  # Open MPI's own shared memory does not work there
  alone=(unshare --pid --fork --kill-child --mount-proc)
  job() { # shellcheck disable=SC2046
    expect 0 $slow '*:*' $(mpi 2) "${alone[@]}" "$train" "${flags[@]}" "$@"
  }
  job --train_steps=2
  says 'r0/2 W\] gradients go over mpi, not over shm: '
  [[ $(grep -c 'gradients go over mpi' "$folder/err") == 1 ]] || complain "not one line"
  says 'gradients are summed over mpi in buckets'
  # shellcheck disable=SC2046
  for name in shm hierarchical; do
    expect 78 $slow "*--collective=$name: *; give --collective=mpi, or leave the flag out*" $(mpi 2) "${alone[@]}" \
      "$train" "${flags[@]}" --collective=$name
  done
else
  echo "not shown: this user may not make pid namespaces"
fi
exit "$failed"
