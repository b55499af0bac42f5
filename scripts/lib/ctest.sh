# shellcheck shell=bash
# Runs the tests of a preset and counts them. Expects root (prepare.sh). Defines: run_ctest, print_counts, passed, failed,
# skipped, second_tries (the tests that passed only when they were run again, and why they were).
# shellcheck source=second_try.sh
source "$(dirname "${BASH_SOURCE[0]}")/second_try.sh"

passed=0
failed=0
skipped=0
second_tries=()

# Seed of tests that draw at random: the second try of a test repeats the first.
export LOCKSTEP_TEST_SEED=${LOCKSTEP_TEST_SEED:-$RANDOM}

# output_of REPORT NAME: what the test printed, from ctest's report.
output_of() { sed -n "/<testcase name=\"$2\"/,/<\/testcase>/p" "$1"; }

# passes_alone PRESET NAME REASON: runs a test once more, with nothing of ours running at the same time.
passes_alone() {
  (
    cd "${root:?}" || exit
    say "Once more, after $3: $2"
    ctest --preset "$1" -R "^$2\$"
  )
}

# run_ctest PRESET [ctest's arguments...]: adds to passed, failed and skipped. Returns ctest's code, or 0 if all that
# failed passed at the second try.
run_ctest() {
  local preset=$1 report code=0 total bad idle name names reason mended=0
  shift
  report=$(mktemp)
  (cd "${root:?}" && ctest --preset "$preset" --parallel "$(nproc)" --output-junit "$report" "$@") || code=$?

  # The head of the report: <testsuite ... tests="61" failures="0" disabled="0" skipped="1" ...>, an attribute a line.
  count() { sed -n "0,/$1=\"\([0-9]*\)\"/s/.*$1=\"\([0-9]*\)\".*/\1/p" "$report" | head -n 1; }
  total=$(count tests)
  bad=$(count failures)
  # ctest counts a test whose program is missing as skipped, too.
  idle=$(grep -c '<skipped message="SKIP_RETURN_CODE=' "$report") || true
  bad=$((${bad:-0} + $(count skipped) - idle))

  # <testcase name="ends" classname="ends" time="21.3" status="fail">
  mapfile -t names < <(sed -n 's/.*<testcase name="\([^"]*\)".* status="fail".*/\1/p' "$report")
  for name in "${names[@]}"; do
    reason=$(known_crash <(output_of "$report" "$name")) || continue
    if passes_alone "$preset" "$name" "$reason"; then
      mended=$((mended + 1))
      second_tries+=("$reason: $name ($preset)")
    fi
  done
  rm -f "$report"

  # No report, or a code without a failure (no test found), is a failure too.
  if ((${total:-0} == 0 || (code != 0 && ${bad:-0} == 0))); then
    bad=1
    ((${total:-0} > 0)) || total=1
    code=1
  elif ((mended == ${bad:-0})); then
    code=0
  fi
  bad=$((${bad:-0} - mended))
  ((bad == 0)) || code=1
  passed=$((passed + ${total:-0} - bad - ${idle:-0}))
  failed=$((failed + bad))
  skipped=$((skipped + ${idle:-0}))
  return "$code"
}

# Prints the last lines of a script that ran tests.
print_counts() {
  if ((${#second_tries[@]} > 0)); then
    printf 'passed at the second try, after %s\n' "${second_tries[@]}"
    printf '%s\n' "${second_tries[@]%%: *}" | sort | uniq -c | sed -E 's/^ *([0-9]+) (.*)/second tries after \2: \1/'
  fi
  printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
}
