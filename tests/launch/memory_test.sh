#!/bin/bash
# Needs that exceed memory: refused before allocation, or the code and a message that names the consumer.
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/expect.sh"

train="$(train)"
slow=40
[[ -z ${LOCKSTEP_SANITIZE:-} ]] || slow=60

# More than any host has: a batch of too many tokens, and layers too large for any batch size.
tokens="--problem=algorithmic_reverse_binary40 --hparams_set=transformer_base --model=transformer --hparams=batch_size=2000000000"
for start in "" "$(mpi 3)"; do
  # shellcheck disable=SC2086  # command lines
  {
    expect 78 $slow "*rank* on * need* about * of memory, and the * hparam batch_size=*, about the largest that fits*" \
      $start "$train" $tokens
    expect 78 $slow "*need* about * of memory, and the *, and no batch is small enough; a rank takes *" \
      $start "$train" --hparams=hidden_size=1048576
  }
done
# shellcheck disable=SC2086
expect 78 $slow "*what is enough: --global_batch_size=*, about the largest that fits*" \
  "$train" $tokens --global_batch_size=2000000000

"$train" --print_memory >"$folder/table" || complain "--print_memory: exit code $?"
for owner in "program and data" parameters gradients "the optimizer's state" batches activations outputs sum; do
  grep -qE "^$owner +[0-9,]+ MB$" "$folder/table" || complain "--print_memory: no line of $owner"
done

# With a small address space; a sanitizer needs more for itself.
if [[ -z ${LOCKSTEP_SANITIZE:-} ]]; then
  mkdir "$folder/text"
  head -c 600000000 /dev/zero | tr '\0' a | gzip -1 >"$folder/text/train.txt.gz"
  # shellcheck disable=SC2016
  expect 70 $slow "*out of memory: '$folder/text/train.txt.gz' is too large a text, * MB are read so far *(ulimit -v)*" \
    bash -c 'ulimit -v 900000; exec "$0" "$@"' \
    "$train" --problem=languagemodel_text --model=transformer_lm --data_dir="$folder/text"
fi
exit $failed
