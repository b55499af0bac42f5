#!/usr/bin/env bash
# The Python in docs/checkpoint_format.md does what it says: its blocks are run on a checkpoint of ours, and our reader reads
# what they leave.
set -euo pipefail
page=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/docs/checkpoint_format.md
program=$LOCKSTEP_BUILD_DIR/tests/checkpoint_file
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
expect model.ckpt-0.h5 'step 0 model linear hparams {"learning_rate": 0.25}' \
  'parameters linear_0/kernel 0.125 0.125 0.125 0.125 0.125 0.125' 'parameters linear_0/bias 0.125 0.125'

# A change that was not sealed is refused.
"$python" -c "import h5py; h5py.File('model.ckpt-120.h5', 'r+').attrs['step'] = 121"
if "$program" read model.ckpt-120.h5 2>refusal; then fail "a file without its seal was read"; fi
grep -q "model.ckpt-120.h5' is no whole checkpoint: .*no seal" refusal || fail "the refusal says" "$(cat refusal)"
