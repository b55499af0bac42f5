#!/bin/bash
# --schedule=evaluate: a checkpoint describes itself, and any number of ranks gives the same result, to the last digit.
# Common mistakes are tested in bad_input_saved_test.sh, except for flags of evaluate alone.
#
#   LOCKSTEP_BUILD_DIR=build tests/launch/evaluate_test.sh
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/expect.sh"
read -ra three <<<"$(mpi 3)"
run=$folder/run
"$(train)" --model=linear --hparams=normalize_inputs=true,optimizer=momentum --global_batch_size=64 --train_steps=40 \
  --save_checkpoints_steps=20 --local_eval_frequency=0 --ema=0.9 --random_seed=7 --output_dir="$run" >/dev/null \
  2>"$folder/err" || complain "the training"
"$(train)" --model=linear --train_steps=1 --output_dir="$folder/no_average" >/dev/null 2>"$folder/err" ||
  complain "the training without an average"
evaluate=("$(train)" --schedule=evaluate --output_dir="$run")

# answers NAME RANKS FLAGS...: writes the answer to the file NAME.
answers() {
  local name=$1 ranks=$2 launch
  shift 2
  read -ra launch <<<"$(mpi "$ranks")"
  expect 0 60 '* step * accuracy *' "${launch[@]}" "${evaluate[@]}" "$@"
  grep -q '^{"kind": "eval"' "$folder/out" || complain "no answer"
  cp "$folder/out" "$folder/$name"
}

answers one 1
for ranks in 3 5; do
  answers other $ranks
  cmp -s "$folder/one" "$folder/other" || complain "$ranks ranks find: $(cat "$folder/other"), one: $(cat "$folder/one")"
done
# The run's own evaluation at its end, of the same weights: all numbers are equal.
member() { sed -n "s/.*\"$1\": \([-0-9.e]*\).*/\1/p" "$2" | tail -n 1; }
for number in loss accuracy correct in_top5 samples; do
  [[ $(member "$number" <(grep '"kind": "eval"' "$run/metrics.jsonl")) == "$(member "$number" "$folder/one")" ]] ||
    complain "the run found another $number"
done
answers plain 1 --weights=plain
cmp -s "$folder/one" "$folder/plain" && complain "the weights and their moving average are the same"
answers earlier 1 --checkpoint_path="$run/model.ckpt-20.h5"
grep -q '"step": 20,' "$folder/earlier" || complain "--checkpoint_path is not what was evaluated"
answers test 1 --eval_split=test
answers test_too 1 --eval_use_test_set
cmp -s "$folder/test" "$folder/test_too" || complain "--eval_use_test_set is not --eval_split=test"

# --eval_details: the same bytes from any number of ranks; its counts equal the answer's.
details=$run/eval/details-dev.json
answers with_details 1 --eval_details
cmp -s "$folder/one" "$folder/with_details" || complain "--eval_details changes the answer"
cp "$details" "$folder/details"
for ranks in 3 5; do
  rm "$details"
  answers other $ranks --eval_details
  cmp -s "$folder/details" "$details" || complain "$ranks ranks write other details than one"
done
grep -q 'confusion matrix' "$folder/err" || complain "the log shows no matrix"
mkdir "$run/eval/details-test.json"
expect 64 60 "*details-test.json: it is a folder, and a file is needed" \
  "$(train)" --schedule=evaluate --output_dir="$run" --eval_split=test --eval_details
rmdir "$run/eval/details-test.json"
python3 - "$details" "$folder/one" <<'PYTHON' || complain "the details disagree with the answer, or with themselves"
import json
import sys

details, answer = (json.load(open(path)) for path in sys.argv[1:])
assert {**answer, "kind": "eval_details"} == {name: details[name] for name in answer}
matrix, classes, worst = details["confusion"], details["classes"], details["worst"]
assert sum(map(sum, matrix)) == answer["samples"]
assert sum(row[i] for i, row in enumerate(matrix)) == answer["correct"]
for i, of_class in enumerate(classes):
    assert (of_class["samples"], of_class["correct"]) == (sum(matrix[i]), matrix[i][i])
    assert of_class["predicted"] == sum(row[i] for row in matrix)
    assert of_class["f1"] is None or abs(of_class["f1"] - 2 * matrix[i][i] / (sum(matrix[i]) + of_class["predicted"])) < 1e-12
assert len(worst) == 20 and [-one["loss"] for one in worst] == sorted(-one["loss"] for one in worst)
PYTHON
"${evaluate[@]}" --eval_details --eval_steps=1 >/dev/null 2>"$folder/err" || complain "--eval_steps"
grep -q '"samples": 128, .*"confusion"' "$details" || complain "--eval_steps does not limit the details"

# Details for real-valued targets: 700 samples with two of them each.
mkdir "$folder/numbers"
python3 - "$folder/numbers" <<'PYTHON'
import array
import math
import sys

def write(name, columns, values):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (700, %d), }" % columns
    with open(sys.argv[1] + "/" + name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00\x76\x00" + header.ljust(117).encode() + b"\n" + array.array("f", values).tobytes())

for split in ("train", "test"):
    write(split + "_inputs.npy", 3, [math.sin(i) for i in range(2100)])
    write(split + "_targets.npy", 2, [math.cos(i * i) for i in range(1400)])
PYTHON
"$(train)" --model=linear --problem=arrays --data_dir="$folder/numbers" --hparams=loss=mean_squared_error --train_steps=20 \
  --output_dir="$folder/real" >/dev/null 2>"$folder/err" || complain "the training on numbers"
for ranks in 1 3; do
  read -ra launch <<<"$(mpi $ranks)"
  expect 0 60 '*the largest errors:*' "${launch[@]}" "$(train)" --schedule=evaluate --output_dir="$folder/real" \
    --data_dir="$folder/numbers" --eval_details
  cp "$folder/real/eval/details-test.json" "$folder/numbers/$ranks"
done
# Without --data_dir, the run's config.json tells where the data are.
for schedule in evaluate predict; do
  expect 0 60 "*r0/3 I*--data_dir=$folder/numbers, as $folder/real/config.json says" "${launch[@]}" "$(train)" \
    --schedule="$schedule" --output_dir="$folder/real"
done
cmp -s "$folder/numbers/1" "$folder/numbers/3" || complain "3 ranks write other details of numbers than one"
python3 - "$folder/numbers/1" <<'PYTHON' || complain "the largest errors are wrong"
import json
import math
import sys

worst = json.load(open(sys.argv[1]))["worst"]
assert len(worst) == 20 and [-one["squared_error"] for one in worst] == sorted(-one["squared_error"] for one in worst)
for one in worst:
    target, prediction = one["target"], one["prediction"]
    expected = [math.cos((2 * one["sample"] + k) ** 2) for k in (0, 1)]
    assert all(abs(found - wanted) < 1e-6 for found, wanted in zip(target, expected))
    assert abs(one["squared_error"] - sum((p - t) ** 2 for p, t in zip(prediction, target)) / 2) < 1e-12
PYTHON

# Flags that contradict each other or the checkpoint, and a damaged checkpoint.
refused() { # CODE PATTERN FLAGS...
  local code=$1 pattern=$2
  shift 2
  expect "$code" 30 "$pattern" "${three[@]}" "$(train)" --schedule=evaluate "$@"
}
refused 64 '*needs --output_dir=DIR*'
refused 78 '*no moving average*' --output_dir="$folder/no_average" --weights=ema
refused 64 '*--eval_details*has a meaning with --output_dir=DIR only*' --checkpoint_path="$run" --eval_details
refused 64 '*has a meaning with --schedule=predict*' --output_dir="$run" --overwrite
dd if=/dev/zero of="$run/model.ckpt-20.h5" bs=1 seek=3000 count=8 conv=notrunc 2>/dev/null
refused 65 '* E\] *model.ckpt-20.h5*' --checkpoint_path="$run/model.ckpt-20.h5"

# --schedule=test trains a few steps to see that all works, and leaves nothing.
expect 0 60 '*the test has passed*' "${three[@]}" "$(train)" --schedule=test --model=linear --output_dir="$folder/new"
[[ ! -e $folder/new ]] || complain "--schedule=test has left $folder/new"
# It does not remove anything that exists, not even another test's folder.
mkdir -p "$folder/there/schedule_test"
expect 0 60 '*the test has passed*' "$(train)" --schedule=test --model=linear --output_dir="$folder/there"
[[ $(ls "$folder/there") == schedule_test ]] || complain "--schedule=test has left in its folder: $(ls "$folder/there")"
# Leftovers of a killed test are removed by the next one.
setsid "$(faulty_train)" --model=mlp_faulty --schedule=test --hparams=fault=sleep,fault_step=1,fault_rank=0 \
  --output_dir="$folder/there" >/dev/null 2>"$folder/err" &
started=$!
for ((tenths = 600; tenths > 0; tenths--)); do
  if compgen -G "$folder/there/schedule_test.*/lease.json" >/dev/null; then break; fi
  sleep 0.1
done
((tenths > 0)) || complain "--schedule=test does not begin"
end_session "$started"
started=""
expect 0 60 '*the test has passed*' "$(train)" --schedule=test --model=linear --output_dir="$folder/there"
[[ $(ls "$folder/there") == schedule_test ]] || complain "a killed --schedule=test stays: $(ls "$folder/there")"
exit $failed
