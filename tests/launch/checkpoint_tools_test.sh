#!/bin/bash
# Users' work with checkpoint files: averaging some, and starting runs from the result, on one rank and on three.
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/expect.sh"

lockstep="$LOCKSTEP_BUILD_DIR/lockstep"
train="$(train)"
run="$folder/run"
averaged="$folder/averaged.h5"
slow=30
[[ -z ${LOCKSTEP_SANITIZE:-} ]] || slow=90

said() { grep -qF -- "$1" "$folder/out" || complain "the standard output lacks '$1': $(cat "$folder/out")"; }

expect 0 $slow '*:*trained 10 steps*' "$train" --model=linear --train_steps=10 --save_checkpoints_steps=2 --output_dir="$run"
average=("$lockstep" average-checkpoints --prefix="$run" --num_last_checkpoints=5 --output_path="$averaged")
"${average[@]}" >"$folder/out" 2>"$folder/err" || complain "no average"
said "$averaged: the mean of 5 checkpoints"
expect 78 $slow "--output_path=$averaged: the file exists; *--overwrite" "${average[@]}"
expect 74 $slow "*cannot create '$folder/none/averaged.h5.tmp'*, or give another --output_path" "$lockstep" average-checkpoints --prefix="$run" \
  --num_last_checkpoints=5 --output_path="$folder/none/averaged.h5"
mkfifo "$folder/pipe"
expect 64 $slow "--output_path=$folder/pipe: it is no regular file, and a file is needed" \
  "$lockstep" average-checkpoints --prefix="$run" --num_last_checkpoints=5 --output_path="$folder/pipe" --overwrite
[[ -p $folder/pipe ]] || complain "a pipe was replaced"
"$lockstep" inspect "$averaged" >"$folder/out" 2>"$folder/err" || complain "it cannot be inspected"
said "optimizer state     none"
expect 66 $slow "*there is no checkpoint*nothing*" "$lockstep" inspect "$folder/nothing"
head -c 5000 "$averaged" >"$folder/cut.h5"
expect 65 $slow "*cut.h5' is not a complete checkpoint*" "$lockstep" inspect "$folder/cut.h5"
expect 65 $slow "*expect.sh' is no checkpoint: it does not begin as an HDF5 file does; *" \
  "$lockstep" inspect "$(dirname "$0")/expect.sh"
expect 64 $slow "lockstep inspect needs a CKPT; *" "$lockstep" inspect

for ranks in 1 3; do  # it evaluates like a checkpoint of a run
  # shellcheck disable=SC2046  # a command line
  expect 0 $slow '*step 10: dev accuracy*' $(mpi $ranks) "$train" --schedule=evaluate --checkpoint_path="$averaged"
  grep -o 'step 10: .*' "$folder/err" | tail -n 1 >"$folder/evaluated$ranks"
done
cmp "$folder/evaluated1" "$folder/evaluated3" || complain "one rank and three evaluate it differently"

exact=(--model=linear --exact --global_batch_size=60 --train_steps=7)
for ranks in 1 3; do
  # shellcheck disable=SC2046  # a command line
  expect 0 $slow "*begins with the parameters of '$averaged': step 10 of model 'linear', 2 of 2 variables" \
    $(mpi $ranks) "$train" "${exact[@]}" --warm_start_from="$averaged" --output_dir="$folder/new$ranks"
done
[[ -n $(parameters_of "$folder/new1") && $(parameters_of "$folder/new1") == "$(parameters_of "$folder/new3")" ]] ||
  complain "one rank and three come to different parameters"
rm "$averaged"
# shellcheck disable=SC2046
expect 0 $slow "*--warm_start_from=$averaged is ignored: *" \
  $(mpi 3) "$train" "${exact[@]:0:3}" --train_steps=9 --warm_start_from="$averaged" --output_dir="$folder/new1"

for start in "" "$(mpi 3)"; do
  # shellcheck disable=SC2086  # $start is a command line
  {
    expect 66 $slow "*there is no checkpoint*averaged.h5*" $start "$train" --warm_start_from="$averaged"
    expect 66 $slow "*there is no checkpoint*" $start "$train" --warm_start_from="$folder"
    expect 65 $slow "*cut.h5' is not a complete checkpoint*" $start "$train" --warm_start_from="$folder/cut.h5"
    expect 78 $slow "*--warm_start_from: '$run/model.ckpt-10.h5', a checkpoint of model 'linear', has 0 of 6 variables*" \
      $start "$train" --model=mlp --warm_start_from="$run"
    expect 64 $slow "*--warm_start_partial*--warm_start_from=FILE*" $start "$train" --warm_start_partial
  }
done
exit $failed
