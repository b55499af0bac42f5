#!/bin/bash
# lockstep report on real runs, as users call it: where the page goes, the content of the other formats, and refusals.
set -uo pipefail
# shellcheck source=../expect.sh
source "$(dirname "${BASH_SOURCE[0]}")/../expect.sh"

report() { "$LOCKSTEP_BUILD_DIR/lockstep" report "$@"; }
lockstep() { echo "$LOCKSTEP_BUILD_DIR/lockstep"; }

for steps in 20 30; do
  "$(train)" --output_dir="$folder/run$steps" --train_steps=$steps --log_every=10 2>"$folder/err" || complain "train"
done
run="$folder/run20"

[[ $(report "$run") == "wrote $run/report.html" ]] || complain "the page of one run"
[[ $(report "$run/metrics.jsonl") == "wrote $run/report.html" ]] || complain "a run named by its metrics.jsonl"
grep -q "<title>run20</title>" "$run/report.html" || complain "the page is not called what its run is"
grep -q "finished after step 20" "$run/report.html" || complain "the page does not say how the run ended"
[[ ! -e $run/report.html.tmp ]] || complain "a temporary file is left"
report "$run" "$folder/run30" --output="$folder/both.html" >/dev/null
grep -q "finished after step 30" "$folder/both.html" || complain "the page of two runs has one"

# All numbers of metrics.jsonl are there, to the last digit.
report "$run" "$folder/run30" --format=json >"$folder/runs.json"
python3 - "$folder" <<'PYTHON' || complain "the JSON form differs from metrics.jsonl"
import json
import sys

folder = sys.argv[1]
runs = json.load(open(folder + "/runs.json"))["runs"]
assert len(runs) == 2
for run in runs:
    lines = [json.loads(line) for line in open(run["name"] + "/metrics.jsonl")]
    for kind, table in [("train", run["training"])] + [("eval", table) for table in run["evaluations"].values()]:
        of_kind = [line for line in lines if line["kind"] == kind]
        assert of_kind and len(table["step"]) == len(of_kind)
        for name, values in table.items():
            assert values == [line.get(name) for line in of_kind], name
    assert run["starts"] + run["events"] + run["ends"] == [
        line for kind in ("start", "event", "end") for line in lines if line["kind"] == kind]
    assert run["config"]["train_steps"] == lines[0]["train_steps"]
PYTHON

# Lines of a separate evaluator, and lines that are cut off.
mkdir "$run/eval"
echo '{"kind": "eval", "step": 20, "wall_seconds": 1, "split": "dev", "loss": 0.5}' >"$run/eval/metrics.jsonl"
echo -n '{"kind": "train", "step' >>"$run/metrics.jsonl"
half="$(grep -c . "$run/metrics.jsonl")"
[[ $(report "$run") == "wrote $run/report.html"$'\n'"left out of $run: 1 line, broken or cut off, the first of them line $half of metrics.jsonl" ]] ||
  complain "a half line is not said"
report "$run" --format=text >"$folder/text"
grep -q '^eval/dev loss$' "$folder/text" || complain "no curve of the separate evaluator"
grep -q '^training loss$' "$folder/text" || complain "no curve of the loss"

# The page's script, if there is a node: values that differ in their last digit get a finite axis.
if command -v node >/dev/null; then
  timeout 20 node - "$(dirname "${BASH_SOURCE[0]}")/../../../src/launch/report/page.js" <<'NODE' || complain "an axis of nearly equal values"
const script = require('fs').readFileSync(process.argv[2], 'utf8');
const [extent, range, ticks] = ['extent', 'range', 'ticks'].map((name) =>
  eval('(' + script.match(new RegExp(`function ${name}\\([^]*?\n}\n`))[0] + ')'));
for (const values of [[0.1, 0.10000000000000002], [-3e300, -2.9999999999999995e300], [0, 5e-324], [7, 7], [0, 1]]) {
  const [low, high] = range(values);
  const count = ticks(low, high, 5, false).length;
  if (!(low < high) || count > 12) throw new Error(`${values}: ${count} ticks from ${low} to ${high}`);
}
if (String(extent([7, null, 7])) !== '7,7' || extent([null]).length) throw new Error('an extent has no room');
NODE
fi

# Details by class from an evaluation.
"$(train)" --schedule=evaluate --output_dir="$run" --eval_details >/dev/null 2>"$folder/err" || complain "evaluate"
"$(train)" --schedule=predict --output_dir="$run" >/dev/null 2>"$folder/err" || complain "predict"
report "$run" >/dev/null
grep -q '<img alt="the sample" src="data:image/png;base64,' "$run/report.html" || complain "the worst samples have no pictures"
for title in 'Confusion matrix, dev split, step 20' 'Worst samples, dev split, step 20' 'Predictions, the first 20 samples'; do
  grep -q "$title" "$run/report.html" || complain "the page lacks: $title"
done
report "$run" --format=json >"$folder/runs.json"
python3 - "$folder/runs.json" "$run/eval/details-dev.json" "$run/predictions.csv" <<'PYTHON' || complain "the JSON form has other details"
import csv
import json
import sys

runs, details = (json.load(open(path)) for path in sys.argv[1:3])
assert runs["runs"][0]["details"] == [details]
rows = list(csv.DictReader(open(sys.argv[3])))[:20]
expected = {name: [float(row[name]) for row in rows] for name in ("sample", "prediction", "probability")}
assert runs["runs"][0]["predictions"] == expected
assert runs["runs"][0]["remarks"] == []
PYTHON

# Damaged files next to metrics.jsonl are named, and the rest of the report is complete.
cp -r "$run" "$folder/damaged"
printf '{"confusion": "\xff' >"$folder/damaged/eval/details-dev.json"
printf 'sample,prediction,probability\n0,<b>,1\n' >"$folder/damaged/predictions.csv"
rm "$folder/damaged/config.json"
mkfifo "$folder/damaged/config.json"  # without a writer
mkdir -p "$folder/damaged/eval_train/metrics.jsonl"
report "$folder/damaged" >"$folder/out" 2>"$folder/err" || complain "damaged files stop the report"
for reason in "*config.json'*" "*eval_train/metrics.jsonl'*" "*details-dev.json'*" "*predictions.csv', line 2: expected a number, found '<b>'*"; do
  # shellcheck disable=SC2053  # a pattern
  [[ $(cat "$folder/out") == $reason ]] || complain "not said of a damaged file: $reason"
done
report "$folder/damaged" --format=json | python3 -c 'import json, sys; assert len(json.load(sys.stdin)["runs"][0]["remarks"]) == 4' ||
  complain "the JSON form of damaged files"
grep -q 'line 2: expected a number, found &#39;&lt;b&gt;&#39;' "$folder/damaged/report.html" || complain "the page does not say what is damaged"

# Several runs in a terminal.
report "$run" "$folder/run30" --format=text >"$folder/text"
grep -q '^  run  *ranks  steps  last loss  *best  at step  samples/s  *time$' "$folder/text" || complain "no comparison"
[[ $(grep -c "^  run[23]0  *1     [23]0 " "$folder/text") == 2 ]] || complain "the comparison lacks a run"
grep -q '^  train_steps  *20  *30$' "$folder/text" || complain "the text form does not say what differs"

# Refusals.
expect 64 10 "lockstep report needs a DIR;*" "$(lockstep)" report
expect 64 10 "--format=pdf: *" "$(lockstep)" report "$run" --format=pdf
expect 66 10 "there is no '$folder/none/metrics.jsonl';*" "$(lockstep)" report "$folder/none"
mkdir "$folder/foreign" "$folder/none.d"
echo "notes" >"$folder/foreign/metrics.jsonl"
mkdir "$folder/begun"
: >"$folder/begun/metrics.jsonl"
expect 65 10 "'$folder/begun/metrics.jsonl' has no line that a run has written;*" "$(lockstep)" report "$folder/begun"
expect 65 10 "'$folder/foreign/metrics.jsonl' has no line that a run has written;*" "$(lockstep)" report "$folder/foreign"
expect 74 10 "cannot create '$folder/none/report.html.tmp'*, or give another --output" \
  "$(lockstep)" report "$run" --output="$folder/none/report.html"
expect 64 10 "--output=$folder/none.d: it is a folder, and a file is needed" "$(lockstep)" report "$run" --output="$folder/none.d"
expect 64 10 "--output=/dev/null: it is no regular file, and a file is needed" "$(lockstep)" report "$run" --output=/dev/null
code=0
report "$run" --format=text >/dev/full 2>"$folder/err" || code=$?
[[ $code == 74 ]] || complain "the text form on a full disk: exit code $code, expected 74"
exit "$failed"
