#!/bin/bash
# In a run that was killed and resumed, TensorBoard's own reader finds in the event files what metrics.jsonl and the
# checkpoint say. Skipped if Python has no tensorboard.
set -euo pipefail

check="$(dirname "${BASH_SOURCE[0]}")/tensorboard_check.py"
if ! python3 -c 'import tensorboard' 2>/dev/null; then
  echo "SKIPPED: python3 has no module tensorboard (pip install tensorboard)"
  exit 77
fi
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
train=("$LOCKSTEP_BUILD_DIR/train" --output_dir="$folder/run" --log_every=10 --local_eval_frequency=40
  --save_checkpoints_steps=100 --histogram_every=50)

# Prints the number of train lines in metrics.jsonl; nothing while there is no such file.
lines() { grep -c '"kind": "train"' "$folder/run/metrics.jsonl" 2>/dev/null || true; }

"${train[@]}" --train_steps=1000000 2>/dev/null &
started=$!
for ((tries = 0; tries < 600; ++tries)); do
  # More than ten lines: step 110 or later, so the save of step 100 has begun, and most likely that of 200 has not.
  if (($(lines) + 0 > 10)); then break; fi
  sleep 0.1
done
kill -KILL "$started"
wait "$started" 2>/dev/null || true
"${train[@]}" --train_steps=1500 2>"$folder/err" || { cat "$folder/err"; exit 1; }
python3 "$check" "$folder/run"
files=("$folder"/run/events.out.tfevents.*)
((${#files[@]} == 2)) || { echo "FAILED: ${#files[@]} event files, expected one for each start"; exit 1; }
