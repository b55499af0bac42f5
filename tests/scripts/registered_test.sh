#!/bin/bash
# Every test in tests/ is run: its name occurs in a CMakeLists.txt. cluster/run finds its own.
set -euo pipefail
cd "$(dirname "$0")/.."
failed=0
for test in $(find . -path ./cluster -prune -o \( -name '*_test.cc' -o -name '*_test.sh' -o -name '*_test' \) -type f -print | sort); do
  name=$(basename "$test")
  if ! grep -rqwF --include=CMakeLists.txt --include='*.cmake' -- "$name" . ; then
    echo "FAILED: no CMakeLists.txt runs tests/${test#./}"
    failed=1
  fi
done
exit $failed
