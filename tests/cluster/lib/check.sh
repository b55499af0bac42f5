# shellcheck shell=bash
# Shared by the tests of all clusters. Sourced inside a sandbox, from the root of the checkout. Defines: build,
# complain, said, parameters_of, saved_step, finished, expect_evaluated, train_here, and the sourced page_blocks.
set -euo pipefail
# shellcheck source=tests/cluster/lib/nodes.sh
source tests/cluster/lib/nodes.sh
# shellcheck source=tests/support/page_blocks.sh
source tests/support/page_blocks.sh

# The release build, at the path that all nodes see.
build=/mnt/lockstep/${LOCKSTEP_BUILD:-build}
[[ -x $build/train ]] || { echo "$build/train is missing: scripts/quickstart builds it" >&2; exit 1; }

# shellcheck source=scripts/lib/second_try.sh
source scripts/lib/second_try.sh

trap 'echo "line $LINENO of $0 failed: $BASH_COMMAND" >&2' ERR

# complain TEXT [FILE...]: ends the test; shows the ends of the files and any trace of a crash inside MPI, by which the
# runner decides whether the test may run once more.
complain() {
  echo "FAILED: $1" >&2
  shift
  if (($# > 0)); then
    crash_lines "$@" >&2 || true
    tail -n 60 "$@" >&2 || true
  fi
  exit 1
}

# said PATTERN FILE: succeeds if the log has a matching line.
said() { grep -qE -- "$1" "$2" 2>/dev/null; }

# Prints the hash of the parameters at the end of the run in this folder, from the last line of metrics.jsonl; for a run
# without an end, words that no other folder has.
parameters_of() {
  local hash
  hash=$(sed -n 's/.*"kind": "end".*"parameters_sha256": "\([0-9a-f]*\)".*/\1/p' "$1/metrics.jsonl" | tail -n 1)
  echo "${hash:-no end in $1}"
}

# Prints the step of the newest checkpoint in this folder.
saved_step() { sed -n 's/.*"step": *\([0-9]*\).*/\1/p' "$1/checkpoint.json"; }

# Checks the last thing that a run writes: checkpoint.json is complete a moment before.
finished() { tail -n 1 "$1/metrics.jsonl" 2>/dev/null | grep -q '"kind": "end".*"finished": true'; }

# expect_evaluated FOLDER: checks that each checkpoint has one evaluation, in the order of the steps.
expect_evaluated() {
  diff <(cd "$1" && printf '%s\n' model.ckpt-*.h5 | sed 's/[^0-9]*\([0-9]*\).*/\1/' | sort -n) \
    <(sed -n 's/.*"step": *\([0-9]*\).*/\1/p' "$1/eval/metrics.jsonl") || complain "not one evaluation of each checkpoint"
}

# train_here RANKS FLAGS...: trains on the head node alone, as the reference for runs on the cluster.
train_here() {
  local ranks=$1
  shift
  as_researcher mpirun --oversubscribe -np "$ranks" "$build/train" "$@"
}
