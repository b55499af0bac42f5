#!/bin/bash
# bench/step prints the fields that bench/README.md reads: with the products alone, and with --uncoupled the efficiency.
# bench/optimizer prints a line for the floor and for each optimizer.
#   LOCKSTEP_BUILD_DIR=build LOCKSTEP_MPIRUN=mpirun tests/bench/step_test.sh
set -euo pipefail

program=$LOCKSTEP_BUILD_DIR/bench/step
# shellcheck source=tests/bench/output.sh
source "$(dirname "${BASH_SOURCE[0]}")/output.sh"

# has FIELD...: checks that all of them are numbers above zero in the one line of $output.
has() {
  /usr/bin/python3 - "$output" "$@" <<'END' || fail "a field of $*"
import json, sys
path, *fields = sys.argv[1:]
line = json.load(open(path, encoding="utf-8"))
for field in fields:
    assert line[field] > 0, field
assert (line["ranks"] == 1) == ("floor_us" in line), "the floor, or what ranks without exchange take"
assert line["device"] == "cpu", line
assert abs(line["tflops_best"] * line["step_us_best"] * 1e6 / line["flop"] - 1) < 1e-3, line
END
}

"$program" --model=mlp --batch=8 --rounds=1 --groups=2 --json >"$output" 2>&1 || fail "one rank: $?"
has samples_per_second_best step_us_best floor_us floor_share_best floor_share_median

"$program" --model=lm --batch=1 --rounds=1 --groups=1 --json >"$output" 2>&1 || fail "a language model: $?"
has tokens_per_second_best tokens_per_second_median step_us_best floor_us floor_share_best

"$program" --model=resnet --batch=1 --rounds=1 --groups=1 --json >"$output" 2>&1 || fail "the residual network: $?"
has samples_per_second_best floor_us flop memory_bytes
"$program" --model=lm --length=7 --batch=1 --rounds=1 --seconds=0.01 --json >"$output" 2>&1 || fail "--length: $?"
has length tokens_per_second_best floor_us

timeout 120 "$LOCKSTEP_MPIRUN" --oversubscribe --bind-to none -np 2 "$program" --uncoupled --batch=8 --rounds=2 \
  --groups=1 --json >"$output" 2>&1 || fail "--uncoupled: $?"
has samples_per_second_best coupled_us_best uncoupled_us_best uncoupled_us_median efficiency_best efficiency_median

code=0
"$program" --uncoupled >"$output" 2>&1 || code=$?
[[ $code == 64 ]] || fail "--uncoupled on one rank ended with $code, not 64"
grep -Fq -- "start it with mpirun -np 2" "$output" || fail "no cure for --uncoupled on one rank"

"$LOCKSTEP_BUILD_DIR/bench/optimizer" --parameters=1000 --rounds=1 --json >"$output" 2>&1 || fail "bench/optimizer: $?"
(($(grep -c '"gbs_best": ' "$output") > 1)) || fail "bench/optimizer: no optimizer beside a += b"
