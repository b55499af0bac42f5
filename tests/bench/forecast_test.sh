#!/bin/bash
# bench/forecast finds the link that timings were made with, compares it with those of more hosts, marks what is beyond
# them, and refuses what it cannot use.
#   LOCKSTEP_BUILD_DIR=build tests/bench/forecast_test.sh
set -euo pipefail

program=$LOCKSTEP_BUILD_DIR/bench/forecast
# shellcheck source=tests/bench/output.sh
source "$(dirname "${BASH_SOURCE[0]}")/output.sh"
timings=$(mktemp)
trap 'rm -f "$output" "$timings"' EXIT

# A ring over links of 10 Gbit/s with 50 us a round, on two hosts; on four each sum takes 10 % longer than the model says.
/usr/bin/python3 - "$timings" <<'END'
import json, sys
with open(sys.argv[1], "w", encoding="utf-8") as file:
    for hosts in 2, 4:
        for size in 1 << 20, 4 << 20, 64 << 20:
            us = 2 * (hosts - 1) * 50 + 2 * size * (hosts - 1) / hosts * 0.0008
            line = {"op": "allreduce", "backend": "ring", "dtype": "float32", "ranks": hosts, "hosts": hosts,
                    "ranks_per_host": 1, "bytes": size, "time_us_p50": us * (1 if hosts == 2 else 1.1)}
            print(json.dumps(line), file=file)
END

# forecast FLAG...: its output goes to $output.
forecast() { "$program" "$@" >"$output" 2>&1; }

step=(--parameters=213000000 --compute_ms=1000 --batch=2048)
forecast --timings="$timings" "${step[@]}" --ranks=2,4,8 --json || fail "--timings: $?"
/usr/bin/python3 - "$output" <<'END' || fail "the lines of --timings"
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
kinds = {kind: [line for line in lines if line["kind"] == kind] for kind in ("link", "sum", "step")}
(link,) = [line for line in kinds["link"] if line["backend"] == "ring"]
assert abs(link["round_us"] - 50) < 0.1 and abs(link["gbit"] - 10) < 0.01, link
assert [line["fitted"] for line in kinds["sum"]] == [True] * 3 + [False] * 3, kinds["sum"]
for line in kinds["sum"]:
    assert abs(line["error"] - (0 if line["hosts"] == 2 else 1 / 1.1 - 1)) < 1e-3, line
assert [(line["ranks"], line["extrapolated"]) for line in kinds["step"]] == [(2, False), (4, False), (8, True)]
for line in kinds["step"]:
    assert line["built"] and 0 < line["efficiency"] <= 1, line
    assert abs(line["step_ms"] - 1000 - line["exposed_ms"]) < 0.01, line
    assert abs(line["samples_per_second"] / (2048e3 * line["ranks"] / line["step_ms"]) - 1) < 1e-3, line
END

# The table for people says the same.
forecast --timings="$timings" "${step[@]}" --ranks=4,8 || fail "the table: $?"
grep -Eq '^ring +50\.00 +0\.800 +10\.00$' "$output" || fail "no link in the table"
grep -Eq '^ring +4 +4 +1048576 .* -9\.1 %$' "$output" || fail "no comparison in the table"
grep -Eq '^ring +4 +4 .* % +[0-9]+$' "$output" || fail "four hosts were measured"
grep -Eq '^ring +8 +8 .*  extrapolated$' "$output" || fail "eight hosts were not"

forecast --link_gbit=10,100 --ranks_per_host=8 "${step[@]}" --wire=int8 --ranks=64 || fail "--link_gbit: $?"
(($(grep -Ec '^hierarchical +8 +64 .* extrapolated  not built$' "$output") == 2)) || fail "not a row for each link"
forecast --link_gbit=25 "${step[@]}" --sync_every=50 --ranks=64 || fail "--sync_every: $?"
grep -Fq "parameters in float32, every 50 steps" "$output" || fail "averaging is not named"
forecast --link_gbit=25 || fail "links alone: $?"
grep -Fq efficiency "$output" && fail "a forecast that nobody asked for"

# refused CODE TEXT FLAG...
refused() {
  local code=0
  forecast "${@:3}" || code=$?
  [[ $code == "$1" ]] || fail "code $code, not $1, of ${*:3}"
  grep -Fq -- "$2" "$output" || fail "no '$2' in the message about ${*:3}"
}
refused 64 "give --timings=FILE"
refused 64 "a step needs --compute_ms" --link_gbit=10 --parameters=5
refused 64 "a step needs --parameters" --link_gbit=10 --compute_ms=5
refused 64 "'12' is not a number of ranks from 2" --link_gbit=10 --ranks=8,12 --ranks_per_host=8
refused 64 "'fast' is not a bandwidth" --link_gbit=10,fast
refused 64 "leave one of the two out" --link_gbit=10 "${step[@]}" --sync_every=5 --wire=int8
refused 66 "$timings.none" --timings="$timings,$timings.none"
refused 65 "on two hosts or more" --timings=/dev/null
echo "no JSON" >>"$timings"
refused 65 "line 7" --timings="$timings"
