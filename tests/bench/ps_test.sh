#!/bin/bash
# bench/ps checks the values that clients pull, and prints the fields that bench/README.md lists.
#   LOCKSTEP_BUILD_DIR=build LOCKSTEP_MPIRUN=mpirun tests/bench/ps_test.sh
set -euo pipefail

program=${LOCKSTEP_BENCH_PS:-$LOCKSTEP_BUILD_DIR/bench/ps}
# shellcheck source=tests/bench/output.sh
source "$(dirname "${BASH_SOURCE[0]}")/output.sh"

# ps RANKS FLAG...: runs it; its output goes to $output.
ps() {
  local ranks=$1
  shift
  timeout 120 "$LOCKSTEP_MPIRUN" --oversubscribe --bind-to none -np "$ranks" "$program" --rounds=2 "$@" >"$output" 2>&1
}

# check CLIENTS SERVERS: $output has all lines of sizes 1984 and 70016 with all fields, and no wrong values.
check() {
  /usr/bin/python3 - "$output" "$@" <<'END' || fail "$*"
import json, sys
path, clients, servers = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
lines = [json.loads(line) for line in open(path, encoding="utf-8")]
cases = [(size, transport) for size in (1984, 70016) for transport in ("messages", "window")]
expected = [(what, *case) for case in cases for what in ("pull", "push")]
bounds = [(*case, bound) for case in cases for bound in (None, 0, 2)]
of = lambda *kinds: [line for line in lines if line["what"] in kinds]
key = lambda line: (line["bytes"], line["transport"])
assert [(line["what"], *key(line)) for line in of("pull", "push")] == expected, lines
assert [(*key(line), line["max_staleness"]) for line in of("updates")] == bounds, lines
for line in lines:
    assert (line["clients"], line["servers"], line["wrong"]) == (clients, servers, 0), line
for line in of("pull", "push"):
    assert 0 < line["time_us_best"] <= line["time_us_median"] and line["times"] == 200, line
    assert abs(line["gbs_best"] - line["bytes"] / line["time_us_best"] * 1e-3) <= 1e-3 + 0.01 * line["gbs_best"], line
    for field in "gbs_median", "memcpy_gbs_best", "memcpy_gbs_median", "memcpy_share_best", "memcpy_share_median":
        assert line[field] >= 0, line
for line in of("updates"):
    assert (line["compute_ms"], line["slow"], line["rounds"]) == (1, 3, 2), line
    assert sum(line["staleness"]) == sum(line["batches"]) == 60 and len(line["batches"]) == clients, line
    bound = line["max_staleness"]
    assert bound is None or len(line["staleness"]) <= bound + 1, line
    assert 0 < line["speed_share_median"] <= line["speed_share_best"] <= 1.5, line
    assert 0 < line["updates_per_second_median"] <= line["updates_per_second_best"], line
END
}

for servers in 1 2; do
  for clients in 1 3; do
    ps $((clients + servers)) --servers="$servers" --bytes=1984,70016 --measure=transfers,updates --updates=30 \
      --compute_ms=1 --slow=3 --max_staleness=none,0,2 --json || fail "$clients clients, $servers servers: $?"
    check "$clients" "$servers"
  done
done

# Clients that add their updates by themselves find values that are at least as late as those that were counted.
ps 5 --servers=2 --bytes=70016 --transports=accumulate --measure=transfers,updates --updates=40 --json || fail "accumulate: $?"
/usr/bin/python3 - "$output" <<'END' || fail "accumulate"
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
assert [line["what"] for line in lines] == ["pull", "push", "updates"], lines
for line in lines:
    assert (line["transport"], line["clients"], line["wrong"]) == ("accumulate", 3, 0), line
END

# Delays last a second each, and there are none of one client.
ps 3 --bytes=70016 --transports=window --measure=delays --json || fail "delays: $?"
/usr/bin/python3 - "$output" <<'END' || fail "delays"
import json, sys
(line,) = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
assert (line["what"], line["transport"], line["clients"], line["bytes"]) == ("delay", "window", 2, 70016), line
for push in "push", "push_alone":
    assert 0 < line[push + "_us_p50"] <= line[push + "_us_p99"] <= line[push + "_us_max"], line
assert line["pushes"] > 0 and line["pushes_alone"] > 0, line
END

# Tables for people.
ps 2 --bytes=1048576 --updates=20 --transports=messages || fail "the tables: $?"
grep -Eq '^ +1 MB +messages +pull .* %$' "$output" || fail "no line of pulls"
grep -Eq '^ +1 MB +messages +none .* 0: ' "$output" || fail "no line of updates"

# refused TEXT FLAG...
refused() {
  local code=0
  ps 2 "${@:2}" || code=$?
  [[ $code == 64 ]] || fail "code $code, not 64, of ${*:2}"
  grep -Fq -- "$1" "$output" || fail "no '$1' in the message about ${*:2}"
}
refused "none is left to be a client" --servers=2
refused "'100' is not a multiple of 64 bytes" --bytes=100
refused "'shm' is none of messages, window" --transports=shm
refused "'-1' is neither a number of updates nor none" --max_staleness=-1
