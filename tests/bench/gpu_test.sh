#!/bin/bash
# bench/gpu on the CPU: all its parts, a part that fails while others go on, and a folder that it packs, which measures
# without the build folder and without this host's Open MPI.
#   LOCKSTEP_BUILD_DIR=build tests/bench/gpu_test.sh
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/bench/output.sh
source "$root/tests/bench/output.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder" "$output"' EXIT
export OMP_NUM_THREADS=1
quick=(--device=cpu --models=mlp --precisions=float32 --rounds=1 --secs=0.05 --torch=)

# results WHAT...: checks that $folder/results has these lines, in this order, each with the figures that its tables
# show.
results() {
  /usr/bin/python3 - "$folder/results" "$@" <<'END' || fail "results: $*"
import json, sys
path, *expected = sys.argv[1:]
lines = [json.loads(line) for line in open(path, encoding="utf-8")]
assert [line["what"] for line in lines] == expected, lines
figures = {"product": ["us_best", "tflops_best"], "copy": ["gbs_best"],
           "step": ["samples_per_second_median", "step_us_best", "flop", "tflops_best", "memory_bytes", "floor_us"],
           "exchange": ["exchange_us_median", "step_us_median"]}
for line in lines:
    for figure in figures[line["what"]]:
        assert line[figure] > 0, (figure, line)
END
  rm "$folder/results"
}

# measured CODE COMMAND...: checks that it ends with that code; its output is in $output.
measured() {
  local code=0
  timeout 200 "${@:2}" --save="$folder/results" >"$output" 2>&1 || code=$?
  [[ $code == "$1" ]] || fail "code $code, not $1, of ${*:2}"
}

measured 0 "$root/bench/gpu" "${quick[@]}" --parts=products,steps,exchange
results product product copy step exchange
grep -Eq '^\| mlp, batch 128 \| float32 \| [0-9]+ samples/s ' "$output" || fail "no row of the mlp in the table of steps"
grep -Eq '^\| mlp, 2 rank\(s\) \| shm ' "$output" || fail "no row of the mlp in the table of sums"

# Results that exist only on a GPU, not on the CPU: one line for each kind of them.
/usr/bin/python3 -B - "$root/bench" >"$output" 2>&1 <<'END' || fail "the tables of a GPU"
import sys
sys.path.insert(0, sys.argv[1])
from gpu_measure import tables

name = "cuda:0 (NVIDIA H100 80GB HBM3)"
row = {"forward_us": 10.0, "backward_us": 20.0, "update_us": 0.0}
results = [
    {"what": "correctness", "program": "test_tensor_cuda", "summary": "98 | 98 passed | 0 failed | 0 skipped"},
    {"what": "product", "device_name": name, "of": "square", "precision": "bfloat16", "m": 1, "n": 1, "k": 1,
     "form": "nn", "us_best": 1.0, "tflops_best": 791.6},
    {"what": "product", "device_name": name.replace("HBM3", "HBM3 MIG 1g.10gb"), "of": "square", "precision": "float32",
     "m": 1, "n": 1, "k": 1, "form": "nn", "us_best": 1.0, "tflops_best": 7.5},
    {"what": "step", "name": "gpt2", "device_name": name, "precision": "bfloat16", "batch": 32, "length": 1024,
     "tokens_per_second_median": 300.0, "step_us_best": 100.0, "step_us_median": 110.0, "tflops_median": 395.8,
     "memory_bytes": 2e9, "operations_us": 90.0, "products_us": 60.0, "launch_gap_us": 10.0,
     "layers": [dict(row, name=f"row {number}") for number in range(14)]},
    {"what": "torch", "name": "gpt2", "precision": "bfloat16", "batch": 32, "form": "eager",
     "tokens_per_second_median": 200.0, "memory_bytes": 3e9, "peer_version": "2.11"},
    {"what": "torch", "name": "gpt2", "precision": "bfloat16", "batch": 32, "form": "compile",
     "tokens_per_second_median": 250.0, "memory_bytes": 4e9, "peer_version": "2.11"},
]
text = tables.all_tables(results)
expected = ["98 passed", "| 791.6 | 100.0 % | 80.0 % |", "| 7.5 | 100.0 % | none of a MIG slice |",
            "| gpt2, batch 32 x 1024 | bfloat16 | 300 tokens/s | 110 | compile 1.20, eager 1.50 | 396 | 50.0 % | 40.0 % | "
            "10.0 % | 40.0 % | 2000 (4000) |", "| 2 others | 20.0 | 40.0 | 0.0 |", "PyTorch 2.11"]
for part in expected:
    assert part in text, (part, text)
END

# A part that fails does not stop the others.
mkdir "$folder/build"
cp -r "$LOCKSTEP_BUILD_DIR/bench" "$LOCKSTEP_BUILD_DIR/lib" "$folder/build"
rm "$folder/build/bench/products"
LOCKSTEP_BUILD_DIR=$folder/build measured 1 "$root/bench/gpu" "${quick[@]}" --parts=products,steps
results step
grep -q '^FAILED: products of float32: .*products is not built' "$output" || fail "no reason for the part that failed"

"$root/bench/gpu" --pack="$folder/packed" >"$output" || fail "--pack: $?"
grep -q 'libc.so.6' "$output" || fail "--pack does not say what it leaves to the host"
[[ -e $folder/packed/lib/libmpi.so.40 && ! -e $folder/packed/lib/libc.so.6 ]] || fail "other libraries than expected"
measured 0 env -u LOCKSTEP_BUILD_DIR "$folder/packed/run" "${quick[@]}" --parts=steps,exchange
results step exchange
LD_DEBUG=files "$folder/packed/run" mpirun --oversubscribe -np 2 "$folder/packed/build/bench/step" --batch=8 --rounds=1 \
  --groups=1 >"$output" 2>&1 || fail "two ranks of the folder: $?"
grep -q "file=$folder/packed/mpi/plugins/mca_pml_ob1.so" "$output" || fail "Open MPI's plugins are not those of the folder"

code=0
"$root/bench/gpu" --parts=everything >"$output" 2>&1 || code=$?
[[ $code == 64 ]] || fail "code $code, not 64, of a part that there is not"
grep -q "'everything' is none of correctness, products" "$output" || fail "no list of the parts that there are"
