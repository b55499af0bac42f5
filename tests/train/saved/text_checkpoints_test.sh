#!/bin/bash
# Checkpoints of texts: one in version 1 of the format, which has the vocabulary in its attribute shape, is as good as
# one of today, also in another form of its JSON; one without a vocabulary reads no text; one whose model predicts other
# classes than its symbols is refused; one of characters takes numbers, too; one of a plug-in's tokenizer needs the
# plug-in.
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/../../launch/expect.sh"
# shellcheck source=tests/launch/npy.sh
source "$(dirname "$0")/../../launch/npy.sh"

slow=60
mkdir "$folder"/{text,other_text,numbers,old,reordered,without,more}
for i in {1..40}; do echo "the cat sat on mat $i"; done >"$folder/text/train.txt"
echo "the new mat" >"$folder/text/test.txt"
for i in {1..40}; do echo "a dog sat on mat $i"; done >"$folder/other_text/train.txt"
printf '\002\003\004\002' | npy '|u1' '(4,)' >"$folder/numbers/test_targets.npy"
printf '\004' | npy '|u1' '(1,)' >"$folder/numbers/test_targets_lengths.npy"

# flags TEXT UNIT: of a run.
flags() {
  echo "--problem=languagemodel_text --data_dir=$folder/$1 --model=transformer_lm --hparams_set=transformer_test" \
    "--hparams=max_length=16,batch_size=128,text_unit=$2"
}
# shellcheck disable=SC2046  # words on purpose
run() {
  local code=$1 pattern=$2 text=$3 unit=$4
  shift 4
  expect "$code" $slow "$pattern" "$(train)" $(flags "$text" "$unit") "$@"
}
file=model.ckpt-10.h5
run 0 '*trained 20 steps*' text word --train_steps=20 --save_checkpoints_steps=10 --output_dir="$folder/run"
((failed == 0)) || exit 1

PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$(dirname "$0")/../../../python" /usr/bin/python3 - "$folder" $file <<'PYTHON' || exit 1
import json
import shutil
import sys

import h5py

import lockstep_checkpoint as lockstep

folder, name = sys.argv[1:]
for form in ("old", "reordered", "without"):
    path = f"{folder}/{form}/{name}"
    shutil.copy(f"{folder}/run/{name}", path)
    vocabulary = lockstep.read_checkpoint(path)["vocabulary"]
    lockstep.unseal(path)
    with h5py.File(path, "r+") as file:
        del file["vocabulary"]
        file.attrs["format_version"] = 1
        shape = json.loads(file.attrs["shape"])
        if form != "without":
            del shape["vocabulary_sha256"]
            shape["symbols"] = vocabulary if form == "old" else {"of": "cats", **dict(reversed(vocabulary.items()))}
        file.attrs["shape"] = json.dumps(shape)
    lockstep.seal(path)
assert lockstep.read_checkpoint(f"{folder}/old/{name}")["vocabulary"] == vocabulary

path = f"{folder}/more/{name}"
shutil.copy(f"{folder}/run/{name}", path)
lockstep.unseal(path)
with h5py.File(path, "r+") as file:
    shape = json.loads(file.attrs["shape"])
    file.attrs["shape"] = json.dumps({**shape, "outputs": shape["outputs"] + 1})
lockstep.seal(path)
PYTHON

# saved FILE SCHEDULE FLAG...: the flags of a command that takes a file.
saved() { echo "--schedule=$2 --checkpoint_path=$1" "${@:3}"; }
predict() { saved "$1" predict --data_dir="$folder/text" --output_dir="$2"; }
# average FILES RESULT
average() {
  "$LOCKSTEP_BUILD_DIR/lockstep" average-checkpoints --checkpoints="$1" --output_path="$2" >"$folder/err" 2>&1 ||
    complain "no average of $1"
}
# shellcheck disable=SC2046  # words on purpose
expect 0 $slow '*predicted in *' "$(train)" $(predict "$folder/run/$file" "$folder/predicted")
for form in old reordered; do
  from=$folder/$form/$file
  # shellcheck disable=SC2046
  expect 0 $slow '* step 10: *' "$(train)" $(saved "$from" evaluate --data_dir="$folder/text")
  # shellcheck disable=SC2046
  expect 0 $slow '*predicted in *' "$(train)" $(predict "$from" "$folder/predicted_$form")
  cmp "$folder/predicted/predictions.csv" "$folder/predicted_$form/predictions.csv" || complain "$form: other predictions"
  run 0 '*begins with the parameters of *' text word --train_steps=1 --warm_start_from="$from" \
    --output_dir="$folder/begun_$form"
  run 78 '*--warm_start_from: *vocabulary of another text: *number * there and * here*' other_text word --train_steps=1 \
    --warm_start_from="$from" --output_dir="$folder/begun_other"
  run 78 '*vocabulary of another text than *number * there and * here*' other_text word --train_steps=20 \
    --output_dir="$folder/$form"
  average "$folder/$form/$file" "$folder/averaged_$form.h5"
  "$LOCKSTEP_BUILD_DIR/lockstep" inspect --format=json "$folder/averaged_$form.h5" >"$folder/inspected"
  grep -q '"vocabulary":{.*"unit":"word"' "$folder/inspected" || complain "$form: the average has lost its vocabulary"
  run 0 '*trained 20 steps*' text word --train_steps=20 --save_checkpoints_steps=10 --output_dir="$folder/$form"
  [[ -n $(parameters_of "$folder/run") && $(parameters_of "$folder/run") == "$(parameters_of "$folder/$form")" ]] ||
    complain "$form: a resume ends with other parameters"
done
average "$folder/old/$file,$folder/run/model.ckpt-20.h5" "$folder/averaged.h5"

from=$folder/without/$file
# shellcheck disable=SC2046
expect 65 $slow '*the checkpoint lacks its vocabulary*' "$(train)" $(saved "$from" evaluate --data_dir="$folder/text")
# shellcheck disable=SC2046
expect 0 $slow '* step 10: *' "$(train)" $(saved "$from" evaluate --problem=sequences --data_dir="$folder/numbers")
run 0 '*trained 20 steps*' text word --train_steps=20 --output_dir="$folder/without"

for data in "--data_dir=$folder/text" "--problem=sequences --data_dir=$folder/numbers"; do
  # shellcheck disable=SC2046,SC2086
  expect 65 $slow '*its vocabulary has * symbols, and its model predicts one of *' "$(train)" \
    $(saved "$folder/more/$file" evaluate) $data
done

run 0 '*trained 10 steps*' text character --train_steps=10 --output_dir="$folder/characters"
for data in "--data_dir=$folder/text" "--problem=sequences --data_dir=$folder/numbers"; do
  # shellcheck disable=SC2046,SC2086
  expect 0 $slow '* step 10: *' "$(train)" $(saved "$folder/characters" evaluate) $data
  # shellcheck disable=SC2046,SC2086
  expect 0 $slow '*predicted in *' "$(train)" $(saved "$folder/characters" predict) $data \
    --output_dir="$folder/predicted_characters" --overwrite
done

plugin=--usr_lib=$LOCKSTEP_BUILD_DIR/tests/plugins/libmine.so
run 0 '*trained 1 step*' text mine --train_steps=1 --output_dir="$folder/mine" "$plugin"
for schedule in evaluate predict; do
  # shellcheck disable=SC2046
  expect 78 $slow "*is a checkpoint of tokenizer 'mine', *give the --usr_lib of its run*" "$(train)" \
    $(saved "$folder/mine" $schedule --data_dir="$folder/text" --output_dir="$folder/predicted_mine")
  # shellcheck disable=SC2046
  expect 0 $slow '*:*' "$(train)" $(saved "$folder/mine" $schedule --data_dir="$folder/text" \
    --output_dir="$folder/predicted_mine") "$plugin"
done
mine="*is a checkpoint of tokenizer 'mine', *give the --usr_lib of its run*"
run 78 "$mine" text word --train_steps=2 --output_dir="$folder/mine"
run 78 "$mine" text word --train_steps=1 --warm_start_from="$folder/mine" --output_dir="$folder/begun_mine"
run 0 '*begins with the parameters of *' text mine --train_steps=1 --warm_start_from="$folder/mine" \
  --output_dir="$folder/begun_mine" "$plugin"
run 0 '*trained 2 steps*' text mine --train_steps=2 --output_dir="$folder/mine" "$plugin"
exit $failed
