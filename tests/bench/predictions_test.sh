#!/bin/bash
# bench/predictions_by_ranks trains, predicts and compares; with --exact nothing differs.
#   LOCKSTEP_BUILD_DIR=build tests/bench/predictions_test.sh
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
# shellcheck source=tests/bench/output.sh
source "$root/tests/bench/output.sh"
"$root/bench/predictions_by_ranks" --trainings=2 --ranks=1,2 --json --train_steps=10 --hparams=hidden_size=16 >"$output" 2>&1 ||
  fail "ended with $?"
/usr/bin/python3 - "$output" <<'END' || fail "other results"
import json, sys
results = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
assert [(r["exact"], r["ranks"], r["compared_with"], r["trainings"]) for r in results] == [(False, 2, 1, 2), (True, 2, 1, 2)]
assert results[1]["differ"] == 0 and results[1]["worst_share"] == 0
END
