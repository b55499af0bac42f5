#!/bin/bash
# TensorBoard's own reader finds in the event files the same as in metrics.jsonl and checkpoints, also for a run that
# was killed on the way and resumed. Skipped if Python has no tensorboard.
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

# Prints nothing as long as there is no file.
lines() { grep -c '"kind": "train"' "$folder/run/metrics.jsonl" 2>/dev/null || true; }

"${train[@]}" --train_steps=1000000 2>/dev/null &
started=$!
for ((tries = 0; tries < 600; ++tries)); do
  # After a checkpoint, at step 100 or later, and before the next one.
  if (($(lines) + 0 > 10)); then break; fi
  sleep 0.1
done
kill -KILL "$started"
wait "$started" 2>/dev/null || true
"${train[@]}" --train_steps=1500 2>"$folder/err" || { cat "$folder/err"; exit 1; }
python3 "$check" "$folder/run"
files=("$folder"/run/events.out.tfevents.*)
((${#files[@]} == 2)) || { echo "FAILED: ${#files[@]} event files, expected one for each start"; exit 1; }
