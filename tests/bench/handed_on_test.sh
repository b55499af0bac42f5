#!/bin/bash
# bench/step's backend forwards every operation of Backend to the one it measures: a new operation of Backend has a
# default, which says that the backend lacks it, so the compiler does not notice a missing one.
#   tests/bench/handed_on_test.sh
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
/usr/bin/python3 - "$root/src/tensor/backend.h" "$root/bench/step/timed_backend.h" <<'END'
import re, sys

def names(path, pattern):
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"//.*", "", file.read())
    return sorted(re.findall(pattern, text))

# Overloads count: add() occurs twice.
operations = names(sys.argv[1], r"\bvirtual\s[^;{(~]*?(\w+)\(")
handed_on = names(sys.argv[2], r"(\w+)\([^;{}]*\)(?:\s*const)?(?:\s*noexcept)?\s*override")
assert len(operations) > 50, operations
missing = [name for name in sorted(set(operations)) if operations.count(name) != handed_on.count(name)]
assert not missing, f"bench/step/timed_backend.h does not hand on {', '.join(missing)}"
END
