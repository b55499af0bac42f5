# shellcheck shell=bash
# Runs the tests of a preset and counts them. Expects root (prepare.sh). Defines: run_ctest, passed, failed, skipped.

passed=0
failed=0
skipped=0

# run_ctest PRESET [ctest's arguments...]: adds to passed, failed and skipped. Ends with ctest's code.
run_ctest() {
  local preset=$1 report code=0 total bad idle
  shift
  report=$(mktemp)
  (cd "${root:?}" && ctest --preset "$preset" --parallel "$(nproc)" --output-junit "$report" "$@") || code=$?

  # The head of the report: <testsuite ... tests="61" failures="0" disabled="0" skipped="1" ...>, an attribute a line.
  count() { sed -n "0,/$1=\"\([0-9]*\)\"/s/.*$1=\"\([0-9]*\)\".*/\1/p" "$report" | head -n 1; }
  total=$(count tests)
  bad=$(count failures)
  idle=$(count skipped)
  rm -f "$report"

  # No report, or a code without a failure (no test found, a binary that is not there), is a failure too.
  if ((code != 0 && ${bad:-0} == 0)); then
    bad=1
    ((${total:-0} > 0)) || total=1
  fi
  passed=$((passed + ${total:-0} - ${bad:-0} - ${idle:-0}))
  failed=$((failed + ${bad:-0}))
  skipped=$((skipped + ${idle:-0}))
  return "$code"
}
