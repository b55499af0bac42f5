#!/bin/bash
# scripts/lib/ctest.sh over planted tests: one that is ended by a crash inside MPI_Init passes at the second try, and is
# named and counted by the reason; one that crashes like that each time, and one that fails once in any other way, stay
# failures.
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

# plant NAME LABEL COMMAND: adds a test; COMMAND is bash, run in the build folder.
plant() {
  printf 'add_test(%s bash -c [[%s]])\nset_tests_properties(%s PROPERTIES LABELS %s)\n' "$1" "$3" "$1" "$2" \
    >>"$root/build/CTestTestfile.cmake"
}
# Lines of a trace as Open MPI prints them; the second trace is of a crash after MPI_Init.
in_init='[node07:812] *** Process received signal ***
[node07:812] [ 3] /usr/lib/x86_64-linux-gnu/libmpi.so.40(ompi_mpi_init+0x9b5)[0x7fb8a86f1a15]
[node07:812] [ 4] /usr/lib/x86_64-linux-gnu/libmpi.so.40(PMPI_Init_thread+0x69)[0x7fb8a8719b09]'
later='[node07:812] *** Process received signal ***
[node07:812] [ 3] /usr/lib/x86_64-linux-gnu/libmpi.so.40(PMPI_Waitall+0x9b)[0x7fb8a86f1a15]'
plant sound mpi true
plant crashed mpi "[ -e crashed ] || { touch crashed; echo '$in_init'; exit 139; }"

# check WHAT EXPECTED GOT: compares two texts.
wrong=0
check() {
  [[ $2 == "$3" ]] || {
    echo "FAILED: $1: expected '$2', got '$3'"
    wrong=1
  }
}

code=0
run_ctest planted || code=$?
mended=$'passed at the second try, after a crash inside MPI_Init: crashed (planted)\nsecond tries after a crash inside MPI_Init: 1'
check "a crash of MPI's: the code" 0 "$code"
check "a crash of MPI's: the last lines" "$mended"$'\n2 passed, 0 failed, 0 skipped' "$(print_counts)"

passed=0 second_tries=()
plant crashes mpi "echo '$in_init'; exit 139"
plant crashed_later mpi "[ -e crashed_later ] || { touch crashed_later; echo '$later'; exit 139; }"
plant flaky mpi '[ -e flaky ] || { touch flaky; exit 1; }'
plant flaky_unit unit '[ -e flaky_unit ] || { touch flaky_unit; exit 1; }'
rm "$root/build/crashed"
run_ctest planted && check "other failures: the code" "not 0" 0
check "other failures: the last lines" "$mended"$'\n2 passed, 4 failed, 0 skipped' "$(print_counts)"

# A missing program does not count as a skipped test.
passed=0 failed=0 second_tries=()
cat >"$root/build/CTestTestfile.cmake" <<'END'
add_test(missing "/nowhere/program")
add_test(idle bash -c "exit 77")
set_tests_properties(idle PROPERTIES SKIP_RETURN_CODE 77)
add_test(sound true)
END
run_ctest planted && check "a missing program: the code" "not 0" 0
check "a missing program: the last lines" '1 passed, 1 failed, 1 skipped' "$(print_counts)"

exit $wrong
