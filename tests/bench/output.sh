# Sourced by the tests of bench/: $output holds a program's output, and is removed at the end.
# shellcheck shell=bash
output=$(mktemp)
trap 'rm -f "$output"' EXIT

# fail TEXT...: ends the test and shows $output.
fail() {
  echo "FAILED: $*"
  cat "$output"
  exit 1
}
