"""tensorboard_check.py FOLDER: TensorBoard's own reader finds in the event files of FOLDER what its metrics.jsonl says:
the same steps, the same values after rounding to float32, and of a training run the text of its start and the
histograms of --histogram_every, those of its last step as TensorBoard itself makes them of the checkpoint."""
import json
import os
import struct
import sys

import numpy
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.histogram.summary_v2 import histogram_pb
from tensorboard.util.tensor_util import make_ndarray

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../../python"))
import lockstep_checkpoint

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

every = json.load(open(folder + "/config.json")).get("histogram_every", 0)
checkpoint = lockstep_checkpoint.read_checkpoint(folder)
parameters = checkpoint["parameters"]
last = checkpoint["header"]["step"]
tags = events.summary_metadata
histograms = {tag: events.Tensors(tag) for tag in tags if tags[tag].plugin_data.plugin_name == "histograms"}
expected_tags = {"parameters/" + name for name in parameters} if every else set()
assert {tag for tag in histograms if not tag.startswith("gradients/")} == expected_tags, histograms.keys()
for tag, each in histograms.items():
    size = parameters[tag.split("/", 1)[1]].size
    assert [event.step for event in each] == list(range(every, last + 1, every)), (tag, [event.step for event in each])
    for event in each:
        left, right, count = make_ndarray(event.tensor_proto).T
        assert len(count) == 30 and count.sum() == size, (tag, event.step)
        assert (left[1:] == right[:-1]).all() and (left <= right).all(), (tag, event.step)
for name, values in parameters.items() if every and last % every == 0 else ():
    own = make_ndarray(events.Tensors("parameters/" + name)[-1].tensor_proto)
    theirs = make_ndarray(histogram_pb("x", values).value[0].tensor)
    numpy.testing.assert_allclose(own[:, :2], theirs[:, :2], rtol=1e-12, atol=1e-12, err_msg=name)
    numpy.testing.assert_array_equal(own[:, 2], theirs[:, 2], err_msg=name)
print(f"{len(histograms)} histograms, {sum(map(len, histograms.values()))} of steps")
