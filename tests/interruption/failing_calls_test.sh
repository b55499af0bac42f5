#!/bin/bash
# Every system call by which a run changes its output_dir goes wrong in turn: it fails (input/output error, full disk,
# read-only), is done by half, or the process is killed right before or right after it. The run ends with 74 (or
# succeeds, if the call does not matter), and the next one finds a complete checkpoint, not older than the last that was
# reported as saved, and ends with the uninterrupted run's parameters.
#
#   LOCKSTEP_BUILD_DIR=build tests/interruption/failing_calls_test.sh [EVERY]     EVERY=n: each n-th call only
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/../launch/expect.sh"
every=${1:-1}
library="$LOCKSTEP_BUILD_DIR/tests/libfailing_calls.so"
job=("$(train)" --model=linear --hparams=optimizer=momentum --global_batch_size=16 --train_steps=12
  --save_checkpoints_steps=4 --keep_checkpoint_max=2 --local_eval_frequency=0 --log_every=4 --eval_steps=1)
hash_of() { sed -n 's/.*"kind": "end".*"parameters_sha256": "\([0-9a-f]*\)".*/\1/p' "$1/metrics.jsonl" 2>/dev/null; }
complain_of() {
  echo "FAILED: call $call, $how: $1"
  failed=1
}

"${job[@]}" --output_dir="$folder/reference" >/dev/null 2>"$folder/err" || complain "the uninterrupted run"
expected=$(hash_of "$folder/reference")
total=$(FAILING_FOLDER="$folder/run" LD_PRELOAD=$library "${job[@]}" --output_dir="$folder/run" 9>&1 2>/dev/null)
if [[ ! $total =~ ^[0-9]+$ ]] || ((total < 60)); then
  complain "the calls are not counted: '$total'"
  exit 1
fi

# struck CALL HOW: runs the job with this failure, then once more without.
struck() {
  local call=$1 how=$2 run="$folder/run-$2-$1" code=0 saved resumed
  { # without bash's own line about a process that was killed
    FAILING_FOLDER="$run" FAILING_CALL=$call FAILING_HOW=$how LD_PRELOAD=$library timeout 60 \
      "${job[@]}" --output_dir="$run" >/dev/null 2>"$run.err" 9>/dev/null || code=$?
  } 2>/dev/null
  case $how in
    before | after) [[ $code == 137 ]] || complain_of "exit code $code, expected a kill" ;;
    *) [[ $code == 74 || $code == 0 ]] || complain_of "exit code $code: $(tail -n 1 "$run.err")" ;;
  esac
  if [[ $code == 74 && $(grep -c ' E\] ' "$run.err") != 1 ]]; then complain_of "not one message"; fi
  saved=$(sed -n 's/.*saved step \([0-9]*\):.*/\1/p' "$run.err" | tail -n 1)
  code=0
  timeout 60 "${job[@]}" --output_dir="$run" >/dev/null 2>"$run.again" || code=$?
  [[ $code == 0 ]] || complain_of "the next run ended with $code: $(tail -n 1 "$run.again")"
  [[ $(hash_of "$run") == "$expected" ]] || complain_of "the next run has other parameters"
  resumed=$(sed -n 's/.*resumed from .*: step \([0-9]*\),.*/\1/p' "$run.again")
  ((${resumed:-0} >= ${saved:-0})) || complain_of "step ${saved:-0} was reported as saved, but the next run had ${resumed:-0}"
  # An empty temporary file of a lease does not show its owner, and is removed when it is an hour old.
  if [[ -n $(find "$run" -name '*.tmp' -size +0) ]]; then complain_of "temporary files are left: $(echo "$run"/*.tmp)"; fi
  rm -rf "$run" "$run.err" "$run.again"
}

kinds=(5 28 30 short before after) # EIO, ENOSPC, EROFS
for how in "${kinds[@]}"; do
  (
    failed=0
    for ((call = 1 + RANDOM % every; call <= total; call += every)); do struck "$call" "$how"; done
    exit $failed
  ) &
  running+=($!)
  # Two at a time: each run is one process.
  if ((${#running[@]} == 2)); then
    wait "${running[0]}" || failed=1
    running=("${running[1]}")
  fi
done
for process in "${running[@]}"; do wait "$process" || failed=1; done
echo "$total calls, ${#kinds[@]} ways each: $((total * ${#kinds[@]} / every)) points tried"
exit $failed
