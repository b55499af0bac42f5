#!/usr/bin/env bash
# Installed headers: every one compiles alone against the installed tree and includes nothing from outside but the
# standard library and fmt; docs/extending.md lists exactly these headers, and shows a layer as it is.
#   headers_test.sh BUILD_DIR WORK_DIR INCLUDE_DIR VERSION CXX
set -euo pipefail

build=$1 prefix=$2/headers include=$3 version=$4 cxx=$5
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
rm -rf "$prefix"
cmake --install "$build" --prefix "$prefix" >/dev/null
cd "$prefix/$include/lockstep"
mapfile -t headers < <(find . -type f -printf '%P\n' | sort)

failures=0
fail() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}

# Prints names like "base/error.h", from the rows "| base | error.h, hparams.h |" of the page's table.
listed() {
  awk -F'|' '/^\| layer +\| headers/ { inside = 1; next } !/^\|/ { inside = 0 }
             inside && $2 !~ /---/ { gsub(/[ `]/, ""); count = split($3, names, ","); for (i = 1; i <= count; i++) print $2 "/" names[i] }' \
    "$here/../../docs/extending.md" | sort
}
difference=$(diff <(printf '%s\n' "${headers[@]}") <(listed)) ||
  fail "installed (<) and listed in docs/extending.md (>) differ:"$'\n'"$difference"

# The layer on the page is that of the example, which is built and whose gradients are checked.
layer=$(sed -n '/^class Swish final/,/^};$/p' "$here/../../examples/custom_layer/swish.cc")
[[ -n $layer && $(<"$here/../../docs/extending.md") == *"$layer"* ]] ||
  fail "docs/extending.md does not show the class Swish of examples/custom_layer/swish.cc as it is"

((${#headers[@]} > 0)) || fail "no header was installed"
foreign=$(grep -nE '^ *# *include' "${headers[@]}" | grep -vE '<([a-z_]+|fmt/[a-z]+\.h)>|"[a-z_]+/[a-z_/]+\.(h|def)"') || true
[[ -z $foreign ]] || fail "a header needs what its user may not have:"$'\n'"$foreign"

((failures == 0)) || exit 1

# Each header is compiled alone, without the checkout: half a second each, so this takes half a minute of processor
# time.
compile="$cxx -std=c++20 -fsyntax-only -x c++ -Wall -Wextra -Werror -DLOCKSTEP_VERSION='\"$version\"' -I."
printf '%s\n' "${headers[@]}" |
  xargs -P 2 -I HEADER bash -c "echo '#include \"HEADER\"' | $compile - || { echo '^ HEADER alone'; exit 1; }" ||
  fail "a header does not compile alone"

rm -rf "$prefix"
((failures == 0)) || exit 1
echo "${#headers[@]} headers"
