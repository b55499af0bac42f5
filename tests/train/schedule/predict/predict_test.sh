#!/bin/bash
# --schedule=predict from start to end: the same bytes for any number of ranks, and its end if a sample or a signal
# stops it. Common mistakes, and a full disk, are tested in launch/bad_input_saved_test.sh.
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/../../../launch/expect.sh"
# shellcheck source=tests/launch/npy.sh
source "$(dirname "$0")/../../../launch/npy.sh"

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
slow=60
data="$folder/data"
mkdir "$data" "$folder/empty"

# Bytes without an obvious pattern, and labels made from them.
bytes() { cat "$LOCKSTEP_BUILD_DIR"/lib/liblockstep.so "$LOCKSTEP_BUILD_DIR"/lib/liblockstep.so | head -c "$1"; }
labels() { bytes "$1" | tr '\000-\077\100-\177\200-\377' '[\000*64][\001*64][\002*128]'; }

bytes 8000 | npy '|u1' '(2000, 4)' >"$data/train_inputs.npy"
labels 2000 | npy '|u1' '(2000,)' >"$data/train_targets.npy"
expect 0 $slow "*trained 20 steps*" "$(train)" --problem=arrays --data_dir="$data" --model=linear \
  --train_steps=20 --output_dir="$folder/run"
expect 0 $slow "*trained 20 steps*" "$(train)" --problem=arrays --data_dir="$data" --model=mlp \
  --hparams=hidden_size=32 --train_steps=20 --output_dir="$folder/run_mlp"
((failed == 0)) || exit 1
rm "$data"/* # no training data are needed
bytes 400012 | npy '|u1' '(100003, 4)' >"$data/test_inputs.npy" # nor targets

predict() { echo "--schedule=predict --data_dir=$data --checkpoint_path=$folder/run $*"; }

# The same bytes for any number of ranks. A time limit, which job scripts add, only stops training.
# shellcheck disable=SC2046  # words on purpose
for ranks in 1 2 5; do
  expect 0 $slow "*100003 samples predicted in * samples/s: they are in $folder/np$ranks/predictions.h5 and *.csv" \
    $(mpi $ranks) "$(train)" $(predict --output_dir="$folder/np$ranks" --stop_after=1s)
  grep -q '"kind": *"predict"' "$folder/out" || complain "np $ranks: no answer on standard output"
  [[ $(find "$folder/np$ranks" -type f | wc -l) == 2 ]] || complain "np $ranks: other files"
  for file in predictions.csv predictions.h5; do
    cmp "$folder/np1/$file" "$folder/np$ranks/$file" || complain "np $ranks: another $file"
  done
done
[[ $(wc -l <"$folder/np1/predictions.csv") == 100004 ]] || complain "not a line for each sample"
[[ $(cut -d, -f2 "$folder/np1/predictions.csv" | sort -u | wc -l) -gt 2 ]] || complain "one class for all"
[[ $(head -n 1 "$folder/np1/predictions.csv") == sample,prediction,probability ]] || complain "the line of names"
[[ $(tail -n 1 "$folder/np1/predictions.csv") == 100002,* ]] || complain "the last sample"

# refused CODE PATTERN FLAG...: checks for a refusal that leaves nothing in the folder.
refused() {
  local code=$1 pattern=$2
  shift 2
  # shellcheck disable=SC2046
  expect "$code" $slow "$pattern" $(mpi 3) "$(train)" "$@" --schedule=predict --output_dir="$folder/none"
  [[ -z $(ls "$folder/none" 2>/dev/null) ]] || complain "$*: left $(ls "$folder/none")"
}
from=(--checkpoint_path="$folder/run")
# A sample that is not a number.
{ head -c 15996 /dev/zero && printf '\x00\x00\xc0\x7f'; } | npy '<f4' '(1000, 4)' >"$folder/empty/test_inputs.npy"
refused 65 "*:*E*test_inputs.npy': sample 999 (counted from 0) has the value nan*" "${from[@]}" --data_dir="$folder/empty"
# A prediction that is not a number, on a rank that is not the chief: the chief has removed its files when the job ends.
{ head -c 1599984 /dev/zero && for _ in 1 2 3 4; do printf '\xe6\xb1\x61\x7f'; done; } |
  npy '<f4' '(100000, 4)' >"$folder/empty/test_inputs.npy" # the last is 3e38, and sums of it are infinite
refused 70 "*r2/3 E*predicts *n* for sample 99999 (counted from 0) of the test split: its parameters are no good*" \
  --checkpoint_path="$folder/run_mlp" --data_dir="$folder/empty"
expect 64 $slow "*--schedule=predict needs --output_dir=DIR*" "$(train)" --schedule=predict "${from[@]}"
expect 64 $slow "*--overwrite*has a meaning with --schedule=predict only*" "$(train)" --overwrite

# Sequences: a line for each symbol, the same bytes for any number of ranks, and the loss that an evaluation finds.
expect 0 $slow "*trained 20 steps*" "$(train)" --problem=tiny_algo --model=transformer --hparams_set=transformer_test \
  --train_steps=20 --output_dir="$folder/sequences"
expect 0 $slow "*loss*" "$(train)" --schedule=evaluate --checkpoint_path="$folder/sequences" --output_dir="$folder/sequences"
evaluated=$(sed -n 's/.*"loss": \([0-9.]*\),.*"tokens": \([0-9]*\),.*/\1 \2/p' "$folder/out")
# shellcheck disable=SC2046
for ranks in 1 2 3 5; do
  expect 0 $slow "*100 samples, * tokens predicted in * tokens/s: they are in $folder/sequences$ranks/predictions.h5 and *" \
    $(mpi $ranks) "$(train)" --schedule=predict --checkpoint_path="$folder/sequences" --output_dir="$folder/sequences$ranks"
  for file in predictions.csv predictions.h5; do
    cmp "$folder/sequences1/$file" "$folder/sequences$ranks/$file" || complain "sequences, np $ranks: another $file"
  done
done
# Every sequence occurs once and in order, with positions from 0 on; prints the mean loss and the number of targets that
# count.
predicted=$(awk -F, 'NR == 1 { if ($0 != "sample,position,prediction,probability,target,loss") exit 1; next }
  { if (!($1 == sample && $2 == position) && !($1 == sample + 1 && $2 == 0)) exit 1
    sample = $1; position = $2 + 1
    if ($5 != 0) { loss += $6; ++count } else if ($6 != 0) exit 1 }
  END { if (sample != 99) exit 1; printf "%.9f %d", loss / count, count }' "$folder/sequences1/predictions.csv") ||
  complain "sequences: a line that should not be there"
awk '{ exit !(NF == 4 && $2 == $4 && ($1 - $3) ^ 2 < 1e-10) }' <<<"$predicted $evaluated" ||
  complain "sequences: $predicted, and an evaluation says $evaluated"

# A text: its symbols as text, and the most probable ones for each; the same bytes for any number of ranks.
mkdir "$folder/text"
# shellcheck disable=SC2016  # not to be expanded
line='He said: "No, no \\o/ $é", and went.'
for _ in {1..40}; do echo "$line"; done >"$folder/text/train.txt"
echo "$line è new" >"$folder/text/test.txt"
expect 0 $slow "*trained 20 steps*" "$(train)" --problem=languagemodel_text --data_dir="$folder/text" \
  --model=transformer_lm --hparams_set=transformer_test --hparams=max_length=16,batch_size=128 --train_steps=20 \
  --output_dir="$folder/lm"
for ranks in 1 3; do
  # shellcheck disable=SC2046
  expect 0 $slow "*samples, * tokens predicted in *" $(mpi $ranks) "$(train)" --schedule=predict --predict_top=3 \
    --data_dir="$folder/text" --checkpoint_path="$folder/lm" --output_dir="$folder/lm$ranks"
  for file in predictions.csv predictions.h5; do
    cmp "$folder/lm1/$file" "$folder/lm$ranks/$file" || complain "text, np $ranks: another $file"
  done
done
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$(dirname "$0")/../../../../python" /usr/bin/python3 - "$folder" <<'PYTHON' || complain "the text of the predictions is wrong"
import csv
import sys

import numpy

import lockstep_checkpoint as lockstep

folder = sys.argv[1]
text = open(folder + "/text/test.txt", encoding="utf-8").read().replace("è", "\ufffd")  # not in the training text
found = lockstep.read_predictions(folder + "/lm1")
assert lockstep.text_of(found, found["targets"]) == text
assert lockstep.text_of(found, [1, 0]) == "<end><pad>"

rows = list(csv.DictReader(open(folder + "/lm1/predictions.csv", encoding="utf-8", newline="")))
assert len(open(folder + "/lm1/predictions.csv", "rb").read().splitlines()) == 1 + len(rows) == 1 + len(text)
unescaped = {"\\n": "\n", "\\\\": "\\"}
assert "".join(unescaped.get(row["target_text"], row["target_text"]) for row in rows) == text
assert [row["prediction"] for row in rows] == [row["top_1"] for row in rows] == [str(one) for one in found["predictions"]]
assert [row["prediction_text"] for row in rows] == [row["top_1_text"] for row in rows]

top, probabilities = found["top"], found["top_probabilities"]
assert top.shape == probabilities.shape == (len(text), 3)
assert (numpy.diff(probabilities, axis=1) <= 0).all() and (probabilities.sum(axis=1) <= 1 + 1e-6).all()
assert (top[:, 0] == found["predictions"]).all() and (probabilities[:, 0] == found["probabilities"]).all()
assert numpy.array([[int(row[f"top_{k}"]) for k in (1, 2, 3)] for row in rows]).tolist() == top.tolist()
of_target = numpy.where(top == found["targets"][:, None], probabilities, 0).max(axis=1)
known = of_target > 0  # consistent with the loss
assert known.any() and numpy.allclose(-numpy.log(of_target[known]), found["losses"][known], atol=1e-5)
PYTHON
refused 78 "*--predict_top=50: this model predicts one of * symbols; give at most so many*" --predict_top=50 \
  --data_dir="$folder/text" --checkpoint_path="$folder/lm"
expect 0 $slow "*predicted*" "$(train)" --schedule=predict --predict_top=2 --data_dir="$data" --checkpoint_path="$folder/run" \
  --output_dir="$folder/top"
[[ $(head -n 1 "$folder/top/predictions.csv") == sample,prediction,probability,top_1,top_1_probability,top_2,top_2_probability ]] ||
  complain "classes: the line of names with --predict_top"
cmp <(cut -d, -f1-3 "$folder/top/predictions.csv") "$folder/np1/predictions.csv" || complain "--predict_top changes predictions"
expect 64 $slow "*--predict_top*has a meaning with --schedule=predict only*" "$(train)" --predict_top=3

# Enough samples that it takes a while.
: | npy '|u1' '(8000000, 4)' >"$data/test_inputs.npy"
truncate -s 32000128 "$data/test_inputs.npy"
# Signals end it with their code, and leave nothing.
# shellcheck disable=SC2016
stop_soon='"${@:2}" & until [[ -e $NONE/predictions.csv.tmp ]]; do kill -0 $! && sleep 0.05 || exit 1; done
  kill "-$1" $!; wait $!'
export NONE="$folder/none"
# shellcheck disable=SC2046
{
  expect 143 $slow "*asked to stop: nothing is predicted*" bash -c "$stop_soon" bash TERM "$(train)" \
    $(predict --output_dir="$NONE")
  [[ -z $(ls "$NONE") ]] || complain "TERM: left $(ls "$NONE")"
  expect 138 $slow "*asked to stop: nothing is predicted*" bash -c "$stop_soon" bash USR1 $(mpi 3) "$(train)" \
    $(predict --output_dir="$NONE")
  [[ -z $(ls "$NONE") ]] || complain "USR1: left $(ls "$NONE")"
}

exit "$failed"
