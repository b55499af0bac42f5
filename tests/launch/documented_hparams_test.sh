#!/bin/bash
# docs/training.md names every hyperparameter that the built-in sets have, and its tables of hparams name no others.
set -euo pipefail

train="$LOCKSTEP_BUILD_DIR/train"
page="$(dirname "${BASH_SOURCE[0]}")/../../docs/training.md"

sets=$("$train" --registry_help | sed -n '/^hparams sets /,/^$/s/^  \([a-z0-9_]*\) .*/\1/p')
registered=$(for set in $sets; do
  "$train" --hparams_set="$set" --print_hparams | grep -o '"[a-z0-9_]*":' | tr -d '":'
done | sort -u)
[[ $(wc -l <<<"$registered") -ge 30 ]] || {
  echo "FAILED: few hparams are registered: $registered"
  exit 1
}

failed=0
for hparam in $registered; do
  grep -qE "\`$hparam(\`|=)" "$page" || {
    echo "FAILED: hparam $hparam is not in docs/training.md"
    failed=1
  }
done

# Names in the first column of tables that begin "| hparam |"; flags there are checked by the test of --help.
# shellcheck disable=SC2016  # the page's backquotes
listed=$(awk -F'|' '/^\| hparam \|/ { inside = 1; next } !/^\|/ { inside = 0 } inside { print $2 }' "$page" |
  grep -o '`[a-z][a-z0-9_]*`' | tr -d '`' | sort -u)
unknown=$(comm -23 <(echo "$listed") <(echo "$registered"))
[[ -n $listed && -z $unknown ]] || {
  echo "FAILED: docs/training.md lists hparams that no set has: $unknown"
  failed=1
}
exit $failed
