#!/usr/bin/env bash
# The Python in docs/checkpoint_format.md does what it says: its blocks are run on a checkpoint of ours, our reader reads
# what they leave, and train resumes from what its writer wrote.
set -euo pipefail
page=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/docs/checkpoint_format.md
program=$LOCKSTEP_BUILD_DIR/tests/checkpoint_file
train=$LOCKSTEP_BUILD_DIR/train
python=/usr/bin/python3  # Debian's, which python3-h5py belongs to

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
  printf '%s\n' "$@" >&2
  exit 1
}

# expect FILE LINE...: what our reader says of a file.
expect() {
  local file=$1
  shift
  local said
  said=$("$program" read "$file") || fail "our reader refuses $file"
  [[ $said == "$(printf '%s\n' "$@")" ]] || fail "$file holds" "$said" "and not" "$@"
}

# resume FOLDER FLAG...: trains there to the end; what it says is in FOLDER.log.
resume() {
  local folder=$1
  shift
  "$train" --model=linear --output_dir="$folder" "$@" >"$folder.log" 2>&1 || fail "train in $folder:" "$(cat "$folder.log")"
}

# refused FOLDER CODE PART...: train ends with this code, and says these parts.
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
(($(grep -c '^import' page.py) >= 3)) || fail "the page has lost its Python"
"$program" write model.ckpt-120.h5
expect model.ckpt-120.h5 'step 120 model linear hparams {"learning_rate": 0.25}' \
  'parameters linear_0/kernel 1 2 3 4 5 6' 'parameters linear_0/bias 17 18' \
  'm linear_0/kernel 1 2 3 4 5 6' 'm linear_0/bias 17 18'

said=$("$python" page.py) || fail "the page's Python fails"
[[ $said == "step 120, learning rate 0.25, {'linear_0/bias': (2,), 'linear_0/kernel': (3, 2)}" ]] || fail "it says $said"
expect model.ckpt-120.h5 'step 120 model linear hparams {"learning_rate": 0.25}' \
  'parameters linear_0/kernel 1 2 3 4 5 6' 'parameters linear_0/bias 0.5 0.5' \
  'm linear_0/kernel 1 2 3 4 5 6' 'm linear_0/bias 17 18'

# The page's writer, with values that are no multiple of anything.
cat >writes.py <<'END'
from page import *

write_checkpoint("model.ckpt-0.h5", {name: numpy.full(shape, 0.125) for name, shape in shapes.items()},
                 step=0, model="linear", problem="arrays", hparams={"learning_rate": 0.25})
END
"$python" writes.py >/dev/null || fail "the page's writer fails"
expect model.ckpt-0.h5 'step 0 model linear hparams {"learning_rate": 0.25}' \
  'parameters linear_0/kernel 0.125 0.125 0.125 0.125 0.125 0.125' 'parameters linear_0/bias 0.125 0.125'

# A change that was not sealed is refused.
"$python" -c "import h5py; h5py.File('model.ckpt-120.h5', 'r+').attrs['step'] = 121"
if "$program" read model.ckpt-120.h5 2>refusal; then fail "a file without its seal was read"; fi
grep -q "model.ckpt-120.h5' is not a complete checkpoint: .*no seal" refusal || fail "the refusal says" "$(cat refusal)"

# train resumes from the page's file and trains on. Its outputs are the same for all ten classes, so the first loss is ln 10.
resume start --train_steps=3
grep -qF "start/model.ckpt-0.h5' does not say what run it comes from" start.log || fail "$(cat start.log)"
grep -qF 'step 1/3  loss 2.30259' start.log || fail "it did not start from the weights of the file:" "$(cat start.log)"
[[ -f start/model.ckpt-3.h5 ]] || fail "it has saved nothing"

# A whole state, rewritten by the page's writer, trains on to the same bits as the state itself.
flags=(--ema=0.9 --random_seed=7)
resume ours "${flags[@]}" --train_steps=7
mkdir -p theirs other_shape no_shape
cat >copies.py <<'END'
from page import *

def variables_in(group):
    found = {}
    group.visititems(lambda name, item: found.update({name: item[...]}) if isinstance(item, h5py.Dataset) else None)
    return found

with h5py.File("ours/model.ckpt-7.h5", "r") as file:
    state = dict(file.attrs)
    for name in ("format", "format_version", "lockstep_version"):
        del state[name]
    for name in ("hparams", "config", "shape"):
        state[name] = json.loads(state[name])
    state.update(parameters=variables_in(file["parameters"]), ema=variables_in(file["ema"]),
                 optimizer={slot: variables_in(group) for slot, group in file["optimizer"].items()})
write_checkpoint("theirs/model.ckpt-7.h5", **state)
state["shape"]["input"] = [28, 28]
write_checkpoint("other_shape/model.ckpt-7.h5", **{**state, "config": None})
state["shape"] = {"input": [28, 28, 1]}
write_checkpoint("no_shape/model.ckpt-7.h5", **state)
END
"$python" copies.py >/dev/null || fail "a state cannot be written anew"
resume ours "${flags[@]}" --train_steps=12
resume theirs "${flags[@]}" --train_steps=12
[[ -n $(hash_of ours) && $(hash_of ours) == "$(hash_of theirs)" ]] || fail "they differ:" "$(cat ours.log theirs.log)"

refused other_shape 78 '"input":[28,28],' '"input":[28,28,1],'
refused no_shape 65 "attribute shape" "'type'"
