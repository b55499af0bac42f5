"""tensorboard_check.py FOLDER: TensorBoard's own reader finds in the event files of FOLDER what its metrics.jsonl says:
the same steps, the same values after rounding to float32, and of a training run the text of its start."""
import json
import struct
import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

folder = sys.argv[1]


def rounded(value):
    return float("nan") if value is None else struct.unpack("f", struct.pack("f", value))[0]


expected = {}
lines = [json.loads(line) for line in open(folder + "/metrics.jsonl")]
for line in sorted(lines, key=lambda line: line["step"]):
    if line["kind"] not in ("train", "eval"):
        continue
    prefix = line["split"] + "/" if line["kind"] == "eval" else ""
    for name, value in line.items():
        if name not in ("kind", "step", "wall_seconds", "split", "local", "checkpoint", "checksum", "weights"):
            expected.setdefault(prefix + name, []).append((line["step"], repr(rounded(value))))

events = EventAccumulator(folder, size_guidance={"scalars": 0, "tensors": 0}).Reload()
found = {tag: [(each.step, repr(each.value)) for each in events.Scalars(tag)] for tag in events.Tags()["scalars"]}
assert found == expected, "\n".join(
    f"{tag}: TensorBoard {found.get(tag)}, metrics.jsonl {expected.get(tag)}"
    for tag in sorted(found.keys() | expected.keys())
    if found.get(tag) != expected.get(tag))
print(f"{len(expected)} tags, {sum(map(len, expected.values()))} values")
if not any(line["kind"] == "start" for line in lines):
    sys.exit()
text = events.Tensors("start")[0].tensor_proto.string_val[0].decode()
assert "    hparams.learning_rate: " in text, text
