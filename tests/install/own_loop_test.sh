#!/usr/bin/env bash
# examples/own_loop as a user runs it, built against the installed tree: the same training on one rank and on three, to
# rounding; an interrupted run gives the same as an uninterrupted one, and a report of both its parts; a rank that
# throws ends all with its code.
#   own_loop_test.sh OWN_LOOP LOCKSTEP THROWER WORK_DIR MPIRUN...
set -euo pipefail

own_loop=$1 lockstep=$2 thrower=$3 work=$4
mpirun=("${@:5}" --oversubscribe --bind-to none)
rm -rf "$work"
mkdir -p "$work"
cd "$work"

fail() {
  echo "FAILED: $1"
  [[ ! -e ${2-} ]] || cat "$2"
  exit 1
}

# train NAME FOLDER STEPS [mpirun...]: writes NAME.log, and its lines "STEP LOSS" as NAME.losses.
train() {
  local name=$1 folder=$2 steps=$3
  "${@:4}" "$own_loop" "$folder" "$steps" >"$name.log" 2>&1 || fail "$name ended with $?" "$name.log"
  sed -nE 's/.* step ([0-9]+): loss ([0-9.]+)$/\1 \2/p' "$name.log" >"$name.losses"
  grep -q ' test accuracy 0\.[3-9]' "$name.log" || fail "$name has learned nothing" "$name.log"
}

# near A B: checks that the losses of B's steps equal those in A up to rounding.
near() {
  if ! [[ -s $2.losses ]] || ! awk 'NR == FNR { loss[$1] = $2; next }
    { d = $2 - loss[$1]; if (d < 0) d = -d; if (!($1 in loss) || d > 1e-5 * $2) { print "step " $1 ": " loss[$1] ", " $2; bad = 1 } }
    END { exit bad }' "$1.losses" "$2.losses"; then
    fail "$1 and $2 differ" "$2.log"
  fi
}

train alone one 120
(($(wc -l <alone.losses) == 6)) || fail "the chief reports every 20 steps" alone.log
train three three 120 "${mpirun[@]}" -np 3
(($(wc -l <three.losses) == 6)) || fail "the chief alone reports" three.log
near alone three

# Interrupted after step 60: the same numbers from there on, also with another number of ranks.
train begun two 60
cp -r two four
train resumed two 120
grep -q ' resumed from two/model.ckpt-60.h5: step 60$' resumed.log || fail "no resumption is reported" resumed.log
diff <(tail -n 3 alone.losses) resumed.losses || fail "resumed after step 60 it trains differently" resumed.log
train wider four 120 "${mpirun[@]}" -np 3
near alone wider

# Each of the six reported steps is one line, with the same loss as in the log.
diff <(sed -nE 's/.*"kind": "train", "step": ([0-9]+),.*"loss": ([0-9.]+).*/\1 \2/p' two/metrics.jsonl |
  awk '{ printf "%d %.9f\n", $1, $2 }') alone.losses || fail "metrics.jsonl has other losses" resumed.log
"$lockstep" report two --format=text >report.log 2>&1 || fail "lockstep report ended with $?" report.log
for part in 'finished after step 120' 'starts +2' 'training loss' 'test accuracy'; do
  grep -qE "$part" report.log || fail "the report does not say '$part'" report.log
done

code=0
"${mpirun[@]}" -np 3 "$thrower" >thrower.log 2>&1 || code=$?
((code == 65)) || fail "a rank that throws bad_data: the job ended with $code" thrower.log
(($(grep -c "line 7: 'x' is no number" thrower.log) == 1)) || fail "one message a job" thrower.log
rm -rf "$work"
