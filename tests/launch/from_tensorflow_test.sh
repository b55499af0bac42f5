#!/bin/bash
# Runs the commands of docs/from_tensorflow.md unchanged, and compares their output with the page. After each block of
# commands (sh) comes one without a language, whose lines have to be among those printed: in any order, with "..." for
# any text, regardless of the time and the host's name.
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/expect.sh"
# shellcheck source=tests/support/page_blocks.sh
source "$(dirname "$0")/../support/page_blocks.sh"

page="$(dirname "$(realpath "$0")")/../../docs/from_tensorflow.md"
slow=40
[[ -z ${LOCKSTEP_MPIRUN:-} ]] || PATH="$(dirname "$LOCKSTEP_MPIRUN"):$PATH"
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none

mkdir "$folder/work"
cd "$folder/work" || exit 1
ln -s "$LOCKSTEP_BUILD_DIR" build
PATH="$PWD/build:$PATH"

# Changes a log line to its form on a page.
as_shown() { sed -E "s/^\[ *[0-9]+\.[0-9]+s /[/; s/\b$(uname -n)\b/node07/g"; }

# printed LINE FILE: succeeds if the file has a line that matches this one of the page.
printed() {
  local pattern line
  pattern=$(sed -E 's/[][*?\\]/\\&/g; s/\.\.\./*/g' <<<"$1")
  while IFS= read -r line; do
    # shellcheck disable=SC2053  # a pattern on purpose
    if [[ $line == $pattern ]]; then return 0; fi
  done <"$2"
  return 1
}

mapfile -d '' commands < <(page_blocks "$page" sh)
mapfile -d '' outputs < <(page_blocks "$page" "")
((${#commands[@]} >= 8)) || complain "the page has ${#commands[@]} commands"
[[ ${#commands[@]} == "${#outputs[@]}" ]] ||
  complain "the page has ${#commands[@]} blocks of commands and ${#outputs[@]} of what they print"

for i in "${!commands[@]}"; do
  if [[ ${commands[i]} == *--reader=* ]] && ! command -v python3 >/dev/null; then
    echo "skipped, as there is no python3: ${commands[i]}"
    continue
  fi
  expect 0 $slow "all of it ran" bash -euo pipefail -c "${commands[i]}"$'\necho "all of it ran" >&2'
  cat "$folder/out" "$folder/err" | as_shown >"$folder/shown"
  while IFS= read -r line; do
    printed "$line" "$folder/shown" || complain "${commands[i]}: no line like '$line'"
  done < <(printf '%s' "${outputs[i]:-}" | as_shown)
done
exit $failed
