#!/bin/bash
# scripts/lib/ctest.sh over planted tests: one of the label mpi that fails once passes at the second try and is named; one
# that always fails, and a flaky one of another label, stay failures.
set -uo pipefail
source_root=$(cd "$(dirname "$0")/../.." && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
say() { printf '%s\n' "== $*"; }
# shellcheck source=scripts/lib/ctest.sh
source "$source_root/scripts/lib/ctest.sh"

mkdir "$root/build"
cat >"$root/CMakePresets.json" <<'END'
{"version": 6,
 "configurePresets": [{"name": "planted", "generator": "Ninja", "binaryDir": "${sourceDir}/build"}],
 "testPresets": [{"name": "planted", "configurePreset": "planted", "execution": {"noTestsAction": "error"}}]}
END

# plant NAME LABEL COMMAND: COMMAND is bash, run in the build folder.
plant() {
  printf 'add_test(%s bash -c [[%s]])\nset_tests_properties(%s PROPERTIES LABELS %s)\n' "$1" "$3" "$1" "$2" \
    >>"$root/build/CTestTestfile.cmake"
}
plant sound mpi true
plant flaky mpi '[ -e flaky ] || { touch flaky; exit 1; }'

# check WHAT EXPECTED GOT
wrong=0
check() {
  [[ $2 == "$3" ]] || {
    echo "FAILED: $1: expected '$2', got '$3'"
    wrong=1
  }
}

code=0
run_ctest planted || code=$?
check "a flaky test: the code" 0 "$code"
check "a flaky test: the last lines" $'passed at the second try: flaky (planted)\n2 passed, 0 failed, 0 skipped' "$(print_counts)"

passed=0 second_tries=()
plant broken mpi false
plant flaky_unit unit '[ -e flaky_unit ] || { touch flaky_unit; exit 1; }'
rm "$root/build/flaky"
run_ctest planted && check "a broken test: the code" "not 0" 0
check "a broken test: the last lines" $'passed at the second try: flaky (planted)\n2 passed, 2 failed, 0 skipped' "$(print_counts)"

# A program that is not there is no test that was skipped.
passed=0 failed=0 second_tries=()
cat >"$root/build/CTestTestfile.cmake" <<'END'
add_test(missing "/nowhere/program")
add_test(idle bash -c "exit 77")
set_tests_properties(idle PROPERTIES SKIP_RETURN_CODE 77)
add_test(sound true)
END
run_ctest planted && check "a missing program: the code" "not 0" 0
check "a missing program: the last lines" '1 passed, 1 failed, 1 skipped' "$(print_counts)"

# What a sanitizer reports is not tried again.
passed=0 failed=0 skipped=0
: >"$root/build/CTestTestfile.cmake"
plant race mpi '[ -e race ] || { touch race; echo "WARNING: ThreadSanitizer: data race"; exit 66; }'
run_ctest planted && check "a race: the code" "not 0" 0
check "a race: the last lines" '0 passed, 1 failed, 0 skipped' "$(print_counts)"
exit $wrong
