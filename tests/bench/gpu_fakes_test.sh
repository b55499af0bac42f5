#!/bin/bash
# Runs bench/gpu over planted programs: one of PyTorch's forms hangs, one crashes, one is measured; a host without
# mpirun; and the GPUs visible to the tests of correctness.
#   tests/bench/gpu_fakes_test.sh
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/bench/output.sh
source "$root/tests/bench/output.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder" "$output"' EXIT
export LOCKSTEP_BUILD_DIR=$folder/build PEER_PYTHON=$folder/python
unset CUDA_VISIBLE_DEVICES

# plant NAME: writes a program whose lines come from the standard input.
plant() {
  mkdir -p "$(dirname "$folder/$1")"
  { echo '#!/bin/bash'; cat; } >"$folder/$1"
  chmod 755 "$folder/$1"
}
plant build/bench/products <<<''
plant build/bench/step <<'END'
echo '{"what": "step", "device_name": "cuda:0 (Card)", "precision": "float32", "batch": 128, "ranks": 1,
  "collective": "nccl", "samples_per_second_median": 300.0, "step_us_best": 9.0, "step_us_median": 10.0,
  "exchange_us_median": 1.0, "tflops_median": 1.0, "memory_bytes": 1000000}' | /usr/bin/tr -d '\n'
END
# shellcheck disable=SC2016  # for the programs to expand, here and below
plant build/tests/test_tensor_cuda <<<'echo "[doctest] test cases: 9 of [${CUDA_VISIBLE_DEVICES-all}]"'
plant python <<'END'
case "$*" in
*--form=eager*)
  echo '{"what": "torch", "precision": "float32", "batch": 128, "form": "eager", "samples_per_second_median": 200.0,
    "memory_bytes": 2000000, "peer_version": "2.11"}' | /usr/bin/tr -d '\n'
  ;;
*--form=compile*) exec /usr/bin/sleep 600 ;;
*--form=graph*) kill -SEGV $$ ;;
esac
END

# measured CODE COMMAND...: checks that it ends with that code; its output is in $output.
measured() {
  local code=0
  timeout 200 "${@:2}" >"$output" 2>&1 || code=$?
  [[ $code == "$1" ]] || fail "code $code, not $1, of ${*:2}"
}

measured 1 "$root/bench/gpu" --parts=steps --models=mlp --precisions=float32 --timeout=10
grep -q '^| mlp, batch 128 | float32 | 300 samples/s | 10 | eager 1.50 |' "$output" || fail "no ratio to the eager form"
grep -q '^FAILED: mlp in float32, PyTorch compile: no end after 10.0 s: ' "$output" || fail "the form that hangs is not named"
grep -q '^FAILED: mlp in float32, PyTorch graph: code -11 of ' "$output" || fail "the form that crashes is not named"
[[ $(grep -c '^FAILED' "$output") == 2 ]] || fail "others failed, too"

# Sums over one rank are measured without mpirun.
mkdir "$folder/empty"
measured 0 env PATH="$folder/empty" /usr/bin/python3 "$root/bench/gpu" --parts=exchange
[[ $(grep -c 'no mpirun' "$output") == 1 ]] || fail "not one line about mpirun"
grep -q '^| mlp_25m, 1 rank(s) | nccl | 1 | 10 | 10.0 % |' "$output" || fail "no sums of one rank"
if grep -q '2 rank(s)' "$output"; then fail "sums of two ranks, by nothing"; fi

# sees GPUS COMMAND...: checks the GPUs visible to the tests of correctness.
sees() {
  measured 0 "${@:2}" --parts=correctness
  grep -qF "test_tensor_cuda: 9 of [$1]" "$output" || fail "the tests do not see [$1]"
}
sees all "$root/bench/gpu"
sees 1 "$root/bench/gpu" --device=cuda:1
sees 5 env CUDA_VISIBLE_DEVICES=3,5 "$root/bench/gpu" --device=cuda:1
sees GPU-a env CUDA_VISIBLE_DEVICES=GPU-a,GPU-b "$root/bench/gpu" --device=cuda:0
sees '' env CUDA_VISIBLE_DEVICES=3 "$root/bench/gpu" --device=cuda:1
measured 64 "$root/bench/gpu" --device=gpu:1
grep -q "'gpu:1' is none of cuda, cuda:N and cpu" "$output" || fail "no list of the devices"
