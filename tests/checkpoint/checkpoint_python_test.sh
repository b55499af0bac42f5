#!/usr/bin/env bash
# python/lockstep_checkpoint.py and the Python in docs/checkpoint_format.md work as documented: the page's blocks are
# run on a checkpoint of ours, our reader reads the result, train resumes from and starts with files of the module, and
# the module reads files of train and lockstep.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
page=$top/docs/checkpoint_format.md
program=$LOCKSTEP_BUILD_DIR/tests/checkpoint_file
train=$LOCKSTEP_BUILD_DIR/train
lockstep=$LOCKSTEP_BUILD_DIR/lockstep
export PYTHONPATH=$top/python PYTHONDONTWRITEBYTECODE=1
python=/usr/bin/python3  # Debian's, which python3-h5py belongs to

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
  printf '%s\n' "$@" >&2
  exit 1
}

# expect FILE LINE...: compares the output of our reader for a file.
expect() {
  local file=$1
  shift
  local said
  said=$("$program" read "$file") || fail "our reader refuses $file"
  [[ $said == "$(printf '%s\n' "$@")" ]] || fail "$file holds" "$said" "and not" "$@"
}

model=linear
# resume FOLDER FLAG...: trains $model there to the end; the output is in FOLDER.log.
resume() {
  local folder=$1
  shift
  "$train" --model="$model" --output_dir="$folder" "$@" >"$folder.log" 2>&1 || fail "train in $folder:" "$(cat "$folder.log")"
}

# refused FOLDER CODE PART...: checks that train ends with this code and a message with these parts.
refused() {
  local folder=$1 code=$2 ended=0
  shift 2
  "$train" --model=linear --output_dir="$folder" --train_steps=5 >"$folder.log" 2>&1 || ended=$?
  [[ $ended == "$code" ]] || fail "train in $folder ended with $ended, not $code:" "$(cat "$folder.log")"
  for part in "$@"; do grep -qF -- "$part" "$folder.log" || fail "no '$part' in" "$(cat "$folder.log")"; done
}

hash_of() { grep -o '"parameters_sha256": "[0-9a-f]*"' "$1/metrics.jsonl" | tail -n 1; }

"$python" -c 'import h5py' || fail "python3-h5py is needed: apt-get install python3-h5py"

awk '/^```python$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$page" >page.py
(($(grep -c '^lockstep\.\|^import' page.py) >= 5)) || fail "the page has lost its Python"
"$program" write model.ckpt-120.h5
expect model.ckpt-120.h5 'step 120 model linear hparams {"learning_rate": 0.25}' \
  'parameters linear_0/kernel 1 2 3 4 5 6' 'parameters linear_0/bias 17 18' \
  'm linear_0/kernel 1 2 3 4 5 6' 'm linear_0/bias 17 18'

said=$("$python" page.py) || fail "the page's Python fails"
[[ $said == "step 120, learning rate 0.25, {'linear_0/bias': (2,), 'linear_0/kernel': (3, 2)}" ]] || fail "it says $said"
expect model.ckpt-120.h5 'step 120 model linear hparams {"learning_rate": 0.25}' \
  'parameters linear_0/kernel 1 2 3 4 5 6' 'parameters linear_0/bias 0.5 0.5' \
  'm linear_0/kernel 1 2 3 4 5 6' 'm linear_0/bias 17 18'

# The module's writer, with shapes that are not multiples of anything.
cat >writes.py <<'END'
from page import *

lockstep.write_checkpoint("model.ckpt-0.h5", {name: numpy.full(shape, 0.125) for name, shape in shapes.items()},
                 step=0, model="linear", problem="arrays", hparams={"learning_rate": 0.25})
END
"$python" writes.py >/dev/null || fail "the writer fails"
expect model.ckpt-0.h5 'step 0 model linear hparams {"learning_rate": 0.25}' \
  'parameters linear_0/kernel 0.125 0.125 0.125 0.125 0.125 0.125' 'parameters linear_0/bias 0.125 0.125'

# A change that was not sealed is refused.
"$python" -c "import h5py; h5py.File('model.ckpt-120.h5', 'r+').attrs['step'] = 121"
if "$program" read model.ckpt-120.h5 2>refusal; then fail "a file without its seal was read"; fi
grep -q "model.ckpt-120.h5' is not a complete checkpoint: .*no seal" refusal || fail "the refusal says" "$(cat refusal)"

# train resumes from the page's file and trains on. Its outputs are the same for all ten classes, so the first loss is ln 10.
mkdir start
cp imported.h5 start/model.ckpt-0.h5
resume start --train_steps=3
grep -qF "start/model.ckpt-0.h5' does not say what run it comes from" start.log || fail "$(cat start.log)"
grep -qF 'step 1/3  loss 2.30259' start.log || fail "it did not start from the weights of the file:" "$(cat start.log)"
[[ -f start/model.ckpt-3.h5 ]] || fail "it has saved nothing"
resume begun --train_steps=3 --warm_start_from=imported.h5
grep -qF 'step 1/3  loss 2.30259' begun.log || fail "it did not begin with the weights of the file:" "$(cat begun.log)"

# A whole state, rewritten by the module, trains on to the same bits as the state itself.
flags=(--ema=0.9 --random_seed=7)
resume ours "${flags[@]}" --train_steps=7
mkdir -p theirs missed other_shape no_shape
cat >copies.py <<'END'
import numpy

from lockstep_checkpoint import read_checkpoint, write_checkpoint

whole = read_checkpoint("ours")
state = {**whole["header"], "parameters": whole["parameters"], "ema": whole["ema"], "optimizer": whole["optimizer"]}
for name in ("format", "format_version", "lockstep_version"):
    del state[name]
write_checkpoint("theirs/model.ckpt-7.h5", **state)
missed = [numpy.array([5, 3, 1]), numpy.array([2])]
write_checkpoint("missed/model.ckpt-7.h5", **{**state, "config": None, "missed": missed})
copied = read_checkpoint("missed")
assert [batch.tolist() for batch in copied["missed"]] == [[5, 3, 1], [2]] and whole["missed"] == []
assert copied["header"]["format_version"] == 3 and whole["header"]["format_version"] == 1
state["shape"]["input"] = [28, 28]
write_checkpoint("other_shape/model.ckpt-7.h5", **{**state, "config": None})
state["shape"] = {"input": [28, 28, 1]}
write_checkpoint("no_shape/model.ckpt-7.h5", **state)
END
"$python" copies.py >/dev/null || fail "a state cannot be written anew"
resume ours "${flags[@]}" --train_steps=12
resume theirs "${flags[@]}" --train_steps=12
[[ -n $(hash_of ours) && $(hash_of ours) == "$(hash_of theirs)" ]] || fail "they differ:" "$(cat ours.log theirs.log)"
resume missed "${flags[@]}" --train_steps=12
grep -qF 'lists 2 batches (4 samples) that were not applied' missed.log || fail "nothing is missed:" "$(cat missed.log)"
"$lockstep" inspect --format=json missed/model.ckpt-7.h5 | grep -qF '"missed_batches":2,"missed_samples":4' ||
  fail "inspect finds no missed batches"

# The same of a text, whose vocabulary the module reads and writes.
mkdir text their_text
for i in {1..40}; do echo "the cat sat on \"mat\" \\ Grüße $i"; done >text/train.txt
model=transformer_lm
text=(--problem=languagemodel_text --data_dir=text --hparams_set=transformer_test
  "--hparams=max_length=16,batch_size=128,text_unit=word")
resume our_text "${text[@]}" --train_steps=7
cat >texts.py <<'END'
import json

from lockstep_checkpoint import CheckpointError, read_checkpoint, read_header, seal, unseal, write_checkpoint
import h5py
import numpy

whole = read_checkpoint("our_text")
vocabulary = whole["vocabulary"]
assert vocabulary["unit"] == "word" and {"the", "cat", '"mat"', "\\", "Grüße", "\n", "40"} < set(vocabulary["words"])
state = {**whole["header"], "parameters": whole["parameters"], "optimizer": whole["optimizer"], "vocabulary": vocabulary}
for name in ("format", "format_version", "lockstep_version"):
    del state[name]
path = "their_text/model.ckpt-7.h5"
write_checkpoint(path, **{**state, "shape": {key: value for key, value in state["shape"].items() if "sha256" not in key}})
assert read_header(path)["shape"] == state["shape"] and read_header(path)["format_version"] == 2
assert read_checkpoint(path)["vocabulary"] == vocabulary

write_checkpoint("linked_text.h5", **state)
unseal("linked_text.h5")  # so that HDF5 opens it


def refused(change, part):
    write_checkpoint("damaged_text.h5", **state)
    unseal("damaged_text.h5")
    with h5py.File("damaged_text.h5", "r+") as file:
        del file["vocabulary"]
        change(file)
    seal("damaged_text.h5")
    try:
        read_checkpoint("damaged_text.h5")
    except CheckpointError as error:
        assert part in str(error), error
    else:
        raise AssertionError(f"a vocabulary was read, which is to say {part}")


for text, part in ((b'{"unit":"byte"}', "vocabulary_sha256"), (b"{", "no JSON object"), (b'["unit"]', "no JSON object"),
                   (b'{"unit":"\xff"}', "utf-8"), (numpy.zeros(3), "no row of bytes"),
                   (h5py.ExternalLink("linked_text.h5", "/vocabulary"), "vocabulary is a link"),
                   (h5py.ExternalLink("gone.h5", "/vocabulary"), "vocabulary is a link"),
                   (h5py.SoftLink("/gone"), "vocabulary is a link")):
    values = numpy.frombuffer(text, dtype="uint8") if isinstance(text, bytes) else text
    refused(lambda file: file.__setitem__("vocabulary", values), part)
for symbols in (["unit"], "unit", 0):
    shape = json.dumps({**state["shape"], "symbols": symbols})
    refused(lambda file: file.attrs.__setitem__("shape", shape), "no JSON object")
try:
    write_checkpoint("damaged_text.h5", **{**state, "shape": None})
except ValueError as error:
    assert "needs the shape" in str(error), error
else:
    raise AssertionError("a vocabulary without a shape was written")
END
"$python" texts.py >said 2>&1 || fail "a text's state cannot be read and written anew:" "$(cat said)"
resume our_text "${text[@]}" --train_steps=12
resume their_text "${text[@]}" --train_steps=12
[[ -n $(hash_of our_text) && $(hash_of our_text) == "$(hash_of their_text)" ]] || fail "they differ:" "$(cat our_text.log their_text.log)"
model=linear

refused other_shape 78 '"input":[28,28],' '"input":[28,28,1],'
refused no_shape 65 "attribute shape" "'type'"

# The module reads files of train and lockstep: metrics, averages, replicas; it refuses damaged ones.
cat >reads.py <<'END'
import json

import h5py
import numpy

import lockstep_checkpoint as lockstep

lines = lockstep.read_metrics("averaging")
assert [json.loads(line) for line in open("averaging/metrics.jsonl")] == lines
kinds = lockstep.metrics_by_kind(lines)
assert list(kinds) == ["start", "train", "event", "eval", "end"], list(kinds)
train = kinds["train"]
assert train["step"].dtype == numpy.int64 and train["step"].tolist() == list(range(1, 13)), train["step"]
assert train["loss"].dtype == numpy.float64 and numpy.isfinite(train["loss"]).all()
assert kinds["end"]["finished"].tolist() == [True] and kinds["start"]["hparams"][0]["optimizer"] == "adam"
with open("averaging/metrics.jsonl", "a") as file:
    file.write('{"kind": "tr')  # a line cut off while it is written
assert lockstep.read_metrics("averaging") == lines
mixed = lockstep.metrics_by_kind([{"kind": "a", "x": 1, "t": "u", "b": True}, {"kind": "a", "y": None, "b": False}])["a"]
assert numpy.array_equal(mixed["x"], [1, numpy.nan], equal_nan=True) and mixed["t"].tolist() == ["u", None]
assert mixed["b"].dtype == bool and mixed["y"].tolist() == [None, None]

files = [lockstep.read_checkpoint(f"averaging/model.ckpt-{step}.h5") for step in (3, 6, 9, 12)]
assert lockstep.newest_checkpoint("averaging") == "averaging/model.ckpt-12.h5"
assert files[0]["replicas"] == [] and set(files[0]["optimizer"]) == {"m", "v"}
lockstep.unseal("averaging/model.ckpt-3.h5")
with h5py.File("averaging/model.ckpt-3.h5", "r+") as file:
    for number in range(11):
        file[f"replicas/{number}/m/linear_0/bias"] = numpy.full(10, number)
lockstep.seal("averaging/model.ckpt-3.h5")
replicas = lockstep.read_checkpoint("averaging/model.ckpt-3.h5")["replicas"]
assert [replica["m"]["linear_0/bias"][9] for replica in replicas] == list(range(11))
averaged = lockstep.read_checkpoint("averaged.h5")
assert averaged["optimizer"] == {} and averaged["ema"] == {} and averaged["header"]["step"] == 12
for name, values in averaged["parameters"].items():
    mean = numpy.mean([file["parameters"][name].astype("float64") for file in files], axis=0)
    assert numpy.abs(values - mean).max() <= 1e-7 and numpy.array_equal(values, mean.astype("float32")), name

said = json.load(open("inspected.json"))
header = lockstep.read_header("averaged.h5")
assert {key: said[key] for key in header if key in said} == {key: header[key] for key in header if key in said}
assert {row["name"]: tuple(row["shape"]) for row in said["variables"]} == {
    name: values.shape for name, values in averaged["parameters"].items()}

predicted = lockstep.read_predictions("predicted")
samples = len(predicted["predictions"])
assert predicted["probabilities"].shape == (samples, 10) and samples == len(open("predicted/predictions.csv").readlines()) - 1
assert numpy.array_equal(predicted["probabilities"].argmax(axis=1), predicted["predictions"])
assert predicted["attributes"]["step"] == 12 and predicted["attributes"]["model"] == "linear", predicted["attributes"]

whole = open("averaged.h5", "rb").read()
middle = len(whole) // 2
for damaged in (whole[:-1], whole[:-40], whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1:], b""):
    open("damaged.h5", "wb").write(damaged)
    for read in (lockstep.read_checkpoint, lockstep.read_header, lockstep.check_seal):
        try:
            read("damaged.h5")
        except lockstep.CheckpointError as error:
            assert "damaged.h5" in str(error)
        else:
            raise AssertionError(f"{len(damaged)} bytes were read")


def refused(read, path, *parts):
    try:
        read(path)
    except lockstep.CheckpointError as error:
        assert all(part in str(error) for part in (path, *parts)), error
    else:
        raise AssertionError(f"{path} was read, which is to say {parts}")


# Damaged content under a correct seal, in copies of one file.
def with_attribute(name, value):
    return lambda file: file.attrs.__setitem__(name, value)


def with_data(path):
    return lambda file: file.__setitem__(path, numpy.zeros(3))


def with_missed(counts, samples):
    def put(file):
        file["missed/counts"], file["missed/samples"] = counts, samples
    return put


def without_parameters(file):
    del file["parameters"]
    file["parameters"] = h5py.SoftLink("/gone")


def with_link(link):
    return lambda file: file["parameters"].__setitem__("linked", link)


header_damage = [(with_attribute(name, value), name) for name in lockstep.JSON_ATTRIBUTES
                 for value in ("", "{", "[1]", "[" * 50000, 7, [1, 2], numpy.bytes_(b"\xff"))]
header_damage += [(with_attribute("format_version", value), "format_version") for value in ("new", [1, 1], 0.5)]
header_damage += [(with_attribute("format", value), "no checkpoint") for value in ("keras", 1, [1, 2])]
contents_damage = [(with_data("replicas/1/m/kernel"), "replicas lacks 0"), (with_data("replicas/0"), "replicas/0"),
                   (with_data("replicas/0/m"), "replicas/0/m"), (with_data("optimizer/m"), "optimizer/m"),
                   (with_data("optimizer"), "optimizer"), (with_data("replicas"), "replicas"),
                   (with_data("ema"), "ema"), (with_data("missed"), "missed"), (with_data("missed/counts"), "missed has"),
                   (with_missed([2, 0], [1, 2]), "missed/counts"), (with_missed([2], [1, -2]), "missed/samples"),
                   (with_missed([2, 1], [1, 2]), "does not add up"), (with_missed([2], [0.5, 2]), "missed/samples"),
                   (with_missed([2**62, 2**62, 2], [1, 2]), "does not add up"), (without_parameters, "no group parameters"),
                   (with_data("parameters/" + "a/" * 3000 + "kernel"), "deeper than"),
                   (with_link(h5py.SoftLink("/parameters/linear_0/kernel")), "parameters/linked is a link"),
                   (with_link(h5py.ExternalLink("other.h5", "/x")), "parameters/linked is a link")]
for damage, part in header_damage + contents_damage:
    open("sealed.h5", "wb").write(whole)
    lockstep.unseal("sealed.h5")
    with h5py.File("sealed.h5", "r+") as file:
        damage(file)
    lockstep.seal("sealed.h5")
    refused(lockstep.read_checkpoint, "sealed.h5", part)
    if (damage, part) in header_damage:
        refused(lockstep.read_header, "sealed.h5", part)
refused(lockstep.read_predictions, "averaged.h5", "no data set predictions")
edited = open("averaging/metrics.jsonl", "rb").read()
open("edited.jsonl", "wb").write(b"\xef\xbb\xbf" + edited)
assert lockstep.read_metrics("edited.jsonl") == lines
open("sealed.h5", "wb").write(b"no HDF5")
lockstep.seal("sealed.h5")
for read in (lockstep.read_checkpoint, lockstep.read_header, lockstep.read_predictions):
    refused(read, "sealed.h5")
    try:
        read("not_there.h5")
    except FileNotFoundError:
        continue
    raise AssertionError("a file that is not there was read")

for line in (b"{", b"[1]", b"", b"[" * 50000, b"\xff", b"{}", b'{"kind": 1}'):
    open("damaged.jsonl", "wb").write(b'{"kind": "start"}\n' + line + b"\n")
    refused(lockstep.read_metrics, "damaged.jsonl", "line 2")
END
resume averaging --strategy=model_averaging --sync_every=3 --save_checkpoints_steps=3 --train_steps=12 --log_every=1
"$lockstep" average-checkpoints --prefix=averaging --num_last_checkpoints=4 --output_path=averaged.h5 >said ||
  fail "no average:" "$(cat said)"
"$train" --schedule=predict --checkpoint_path=averaged.h5 --output_dir=predicted >said 2>&1 || fail "$(cat said)"
"$lockstep" inspect --format=json averaged.h5 >inspected.json || fail "it cannot be inspected"
"$python" reads.py || fail "the module does not read what was written"
