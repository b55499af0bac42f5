#!/bin/bash
# bench/collective checks the values of every operation and backend, and prints the fields that DESIGN and
# bench/README.md list.
#   LOCKSTEP_BUILD_DIR=build LOCKSTEP_MPIRUN=mpirun tests/bench/collective_test.sh
set -euo pipefail

program=$LOCKSTEP_BUILD_DIR/bench/collective
# Odd counts, fewer elements than ranks, and more than fits into one message of shared memory.
sizes=8,40,7000,262144
# shellcheck source=tests/bench/output.sh
source "$(dirname "${BASH_SOURCE[0]}")/output.sh"

# collective RANKS FLAG...: runs it; its output goes to $output.
collective() {
  local ranks=$1
  shift
  timeout 120 "$LOCKSTEP_MPIRUN" --oversubscribe --bind-to none -np "$ranks" "$program" --seconds=0.001 "$@" \
    >"$output" 2>&1
}

# check OP RANKS DTYPE BACKEND...: $output has a line for each size and backend, all fields in it, and no wrong values.
check() {
  /usr/bin/python3 - "$output" "$sizes" "$@" <<'END' || fail "$*"
import json, sys
path, sizes, op, ranks, dtype, *backends = sys.argv[1:]
ranks = int(ranks)
lines = [json.loads(line) for line in open(path, encoding="utf-8")]
expected = [(int(size), backend) for size in sizes.split(",") for backend in backends]
assert [(line["bytes"], line["backend"]) for line in lines] == expected, lines
factor = {"allreduce": 2 * (ranks - 1) / ranks, "broadcast": 1}.get(op, (ranks - 1) / ranks)
for line in lines:
    assert (line["op"], line["ranks"], line["dtype"], line["wrong"]) == (op, ranks, dtype, 0), line
    assert (line["hosts"], line["ranks_per_host"]) == (1, ranks), line
    assert 0 < line["time_us_best"] <= line["time_us_p50"] <= line["time_us_p99"], line
    assert line["time_us_best"] <= line["time_us_mean"] <= 1e9, line
    assert abs(line["algbw_gbs"] - line["bytes"] / line["time_us_p50"] * 1e-3) <= 1e-3 + 0.01 * line["algbw_gbs"], line
    assert abs(line["busbw_gbs"] - factor * line["algbw_gbs"]) <= 2e-3, line
    for limit in "limit_us_best", "limit_us_p50", "limit_share_best", "limit_share_p50":
        assert line[limit] >= 0, line
END
}

for ranks in 2 3; do
  for op in allreduce reduce_scatter all_gather broadcast; do
    collective "$ranks" --op="$op" --backends=shm,mpi,mpi_plain --bytes="$sizes" --json ||
      fail "$op on $ranks ranks: $?"
    check "$op" "$ranks" float32 shm mpi mpi_plain
  done
done
for dtype in float64 uint8; do
  collective 3 --dtype="$dtype" --bytes="$sizes" --json || fail "$dtype: $?"
  check allreduce 3 "$dtype" shm mpi mpi_plain
done
for dtype in bfloat16 float16; do
  collective 3 --dtype="$dtype" --backends=shm --bytes="$sizes" --json || fail "$dtype: $?"
  check allreduce 3 "$dtype" shm
done

# Alone, without mpirun.
"$program" --bytes="$sizes" --seconds=0.001 --json >"$output" 2>&1 || fail "one rank: $?"
check allreduce 1 float32 self
collective 1 --backends=auto --bytes="$sizes" --json || fail "auto: $?"
check allreduce 1 float32 auto

# The table for people: a line for each size and backend below the head.
collective 2 --bytes=1048576 || fail "the table: $?"
grep -Eq '^ +1 MB +mpi_plain .* 0$' "$output" || fail "no line of 1 MB and mpi_plain"

# The table of the fastest backends, as train --collective_table reads it.
collective 2 --choose --bytes="$sizes" || fail "--choose: $?"
/usr/bin/python3 - "$output" <<'END' || fail "--choose"
import json, sys
(row,) = json.load(open(sys.argv[1], encoding="utf-8"))["collective_table"]
assert (row["hosts"], row["ranks_per_host"], row["ranges"][0]["from_bytes"]) == (1, 2, 0), row
assert {one["backend"] for one in row["ranges"]} <= {"mpi", "shm"}, row
END

# refused CODE TEXT FLAG...
refused() {
  local code=0
  collective 2 "${@:3}" || code=$?
  [[ $code == "$1" ]] || fail "code $code, not $1, of ${*:3}"
  grep -Fq -- "$2" "$output" || fail "no '$2' in the message about ${*:3}"
}
refused 64 "no backend 'mpx'" --backends=mpi,mpx
refused 64 "'1025' is not a number of bytes that float32 elements fill" --bytes=4,1025
refused 64 "leave one of the two out" --choose --op=broadcast
refused 78 "MPI does not add up bfloat16" --backends=mpi_plain --dtype=bfloat16 --bytes=64
