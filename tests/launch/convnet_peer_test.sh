#!/bin/bash
# train accepts the settings of bench/, and they have all of the peers' values.
#   LOCKSTEP_BUILD_DIR=build tests/launch/convnet_peer_test.sh bench/convnet_peer.json
set -euo pipefail
hparams=$("$LOCKSTEP_BUILD_DIR/train" --config="$1" --print_hparams)
for value in '"dropout":0.5' '"hidden_size":0' '"kernel_size":3' '"learning_rate":0.01' \
  '"learning_rate_schedule":"constant"' '"num_blocks":2' '"optimizer":"momentum"' '"padding":"valid"'; do
  [[ "${hparams//\}/,}" == *"$value,"* ]] || {
    echo "FAILED: no $value in $hparams"
    exit 1
  }
done
