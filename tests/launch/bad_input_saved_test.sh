#!/bin/bash
# Common mistakes with saved models, really run on three ranks: checks the code, for one message that says what to do,
# and that nothing is left that could be taken for a result. The last part, a full disk, needs a mount namespace of its
# own: if that is not allowed the test counts as skipped, provided that all else passed.
#
#   LOCKSTEP_BUILD_DIR=build tests/launch/bad_input_saved_test.sh
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/expect.sh"
# shellcheck source=tests/launch/npy.sh
source "$(dirname "$0")/npy.sh"
# shellcheck source=tests/launch/own_mounts.sh
source "$(dirname "$0")/own_mounts.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
slow=20
[[ -z ${LOCKSTEP_SANITIZE:-} ]] || slow=40
read -ra three <<<"$(mpi 3)"
three+=("$(train)")

# Samples of four numbers with a label of three classes; for using the model, test splits of four and of five numbers.
data=$folder/data
mkdir "$data" "$folder/five" "$folder/empty"
zeros 120 | npy '|u1' '(30, 4)' >"$data/train_inputs.npy"
printf '\0\1\2%.0s' {1..10} | npy '|u1' '(30,)' >"$data/train_targets.npy"
run=$folder/run
expect 0 $slow "*trained 2 steps*" "$(train)" --problem=arrays --data_dir="$data" --model=linear --train_steps=2 \
  --output_dir="$run"
((failed == 0)) || exit 1
# For a run with --holdout the dev split is a share of the train split, even if there are files of another dev split.
expect 0 $slow "*trained 2 steps*" "$(train)" --problem=arrays --data_dir="$data" --model=linear --train_steps=2 \
  --output_dir="$run.held" --holdout=0.1
mkdir "$folder/dev"
for half in inputs targets; do cp "$data/train_$half.npy" "$folder/dev/dev_$half.npy"; done
rm "$data"/*
zeros 400000 | npy '|u1' '(100000, 4)' >"$data/test_inputs.npy"
zeros 100000 | npy '|u1' '(100000,)' >"$data/test_targets.npy"
zeros 50 | npy '|u1' '(10, 5)' >"$folder/five/test_inputs.npy"
zeros 10 | npy '|u1' '(10,)' >"$folder/five/test_targets.npy"

# refused CODE PATTERN FLAGS...: checks for one message, which matches the pattern.
refused() {
  local code=$1 pattern=$2
  shift 2
  expect "$code" $slow "*r?/3 E\]*$pattern" "${three[@]}" "$@"
  [[ $(grep -c 'r[0-9]/3 E\] [^ ]' "$folder/err") == 1 ]] || complain "$*: not one message"
}

out=$folder/out_dir
for schedule in evaluate predict; do
  use=(--schedule="$schedule" --output_dir="$out")
  # No checkpoint.
  refused 66 "there is no checkpoint in '$folder/empty'*; name the --output_dir of a run that has saved, or a file" \
    "${use[@]}" --data_dir="$data" --checkpoint_path="$folder/empty"
  refused 66 "there is no checkpoint '$folder/none.h5'*; name the --output_dir of a run that has saved, or a file" \
    "${use[@]}" --data_dir="$data" --checkpoint_path="$folder/none.h5"
  use+=(--checkpoint_path="$run")
  # A checkpoint of another model.
  refused 78 "'$run/model.ckpt-2.h5' is a checkpoint of model linear, not of --model=mlp; leave that out" \
    "${use[@]}" --data_dir="$data" --model=mlp
  # A missing split.
  refused 66 "$data*has neither train.h5*nor train_inputs.npy*; there is test: --eval_split=test asks for it" \
    "${use[@]}" --data_dir="$data" --eval_split=train
  held=(--schedule="$schedule" --output_dir="$out" --checkpoint_path="$run.held" --data_dir="$folder/dev")
  for split in dev train; do
    refused 66 "$folder/dev has neither train.h5*; what is there: 'dev_inputs.npy'*'$run.held/model.ckpt-2.h5' is of a run with --holdout=0.1, whose dev split is a share of its train split: *--eval_split=test" \
      "${held[@]}" --eval_split=$split
  done
  refused 66 "$folder/dev has neither test.h5*of a run with --holdout=0.1, whose dev split *--eval_split=test" "${held[@]}"
  # Inputs of another shape.
  refused 65 "$folder/five/test_inputs.npy': the inputs of a sample have the shape (5), but the model was made for (4); give data like *" \
    "${use[@]}" --data_dir="$folder/five"
done
refused 66 "there is no checkpoint '$folder/none'*" --schedule=evaluate --output_dir="$folder/none"
[[ -z $(ls -A "$out" 2>/dev/null) ]] || complain "what was refused has written $(ls -A "$out")"

# Existing predictions are kept unless --overwrite is given.
predict=(--schedule=predict --data_dir="$data" --checkpoint_path="$run")
expect 0 $slow "*100000 samples predicted in *" "${three[@]}" "${predict[@]}" --output_dir="$out"
cp -r "$out" "$folder/before"
refused 78 "'$out/predictions.h5' is there already; give --overwrite to replace it, or another --output_dir" \
  "${predict[@]}" --output_dir="$out"
diff -r "$folder/before" "$out" || complain "predictions that were to be kept have changed"
echo >"$out/predictions.csv"
expect 0 $slow "*100000 samples predicted in *" "${three[@]}" "${predict[@]}" --output_dir="$out" --overwrite
diff -r "$folder/before" "$out" || complain "--overwrite has written others"

# A full disk: when space is reserved, and while writing, since the length of the lines is not known before.
((${#own_mounts[@]} > 0)) || {
  echo "no mount namespaces here: a full disk is not tried"
  exit $((failed == 0 ? 77 : 1))
}
disk=$folder/disk
mkdir "$disk"
# shellcheck disable=SC2016  # all of it is the inner shell's
on_a_disk='mount -t tmpfs -o size="$0" tmpfs "$1" || exit 1; "${@:3}"; code=$?; ls -A "$1" >"$2"; exit $code'
# full SIZE PATTERN: predicts on a disk of SIZE.
full() {
  expect 74 $slow "*r0/3 E\]*$2*No space left on device*" "${own_mounts[@]}" bash -c "$on_a_disk" "$1" "$disk" \
    "$folder/left" "${three[@]}" "${predict[@]}" --output_dir="$disk"
  [[ $(grep -c 'r[0-9]/3 E\] [^ ]' "$folder/err") == 1 ]] || complain "a disk of $1: not one message"
  [[ -e $folder/left && ! -s $folder/left ]] || complain "a disk of $1: left $(cat "$folder/left")"
  rm -f "$folder/left"
}
full 1m "cannot reserve * bytes for '$disk/predictions.h5.tmp'"
full 2m "cannot write to '$disk/predictions.csv.tmp'"
exit $failed
