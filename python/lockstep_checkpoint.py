"""Reads what Lockstep writes into dicts and NumPy arrays: checkpoints, metrics.jsonl and predictions.h5.

    import lockstep_checkpoint as lockstep

    checkpoint = lockstep.read_checkpoint("RUN")            # a file, or an output_dir: its newest
    kernel = checkpoint["parameters"]["linear_0/kernel"]
    losses = lockstep.metrics_by_kind(lockstep.read_metrics("RUN"))["train"]["loss"]
    predictions = lockstep.read_predictions("RUN/predictions.h5")["predictions"]

It also writes checkpoints that `train` resumes from or starts from, and seals files that were changed. Needs NumPy and
h5py, and nothing of Lockstep. docs/checkpoint_format.md describes the file, docs/training.md the metrics.
"""

import contextlib
import hashlib
import json
import os
import re
import struct
import zlib

import h5py
import numpy

SEAL_MAGIC = b"lockstep seal 1\0"
SEAL_BYTES = 32
FORMAT = "lockstep checkpoint"
FORMAT_VERSION = 3  # the newest that is known here: with missed batches
VERSION_WITH_VOCABULARY = 2
FIRST_VERSION = 1
MAX_DEPTH = 32  # of groups in groups; what a run writes has a few

JSON_ATTRIBUTES = ("hparams", "config", "shape")


class CheckpointError(ValueError):
    """A file is damaged, or none that this module knows. The message names it, and what is wrong."""


@contextlib.contextmanager
def _reading(path):
    """What HDF5 and Python find wrong with the contents of a file becomes a CheckpointError.

    That there is no such file, or that it may not be read, stays the OSError that it is.
    """
    try:
        yield
    except CheckpointError:
        raise
    except (AttributeError, LookupError, MemoryError, OSError, RuntimeError, TypeError, ValueError) as error:
        if isinstance(error, OSError) and error.errno:
            raise
        raise CheckpointError(f"{path} is damaged: {error or type(error).__name__}") from error


def _json_object(text, what):
    """The dict that a text from a file says; what: "FILE: its attribute config"."""
    try:
        found = json.loads(text)
    except (RecursionError, TypeError, ValueError) as error:  # too deep, no text, no JSON
        raise CheckpointError(f"{what} is no JSON object: {error}") from error
    if not isinstance(found, dict):
        raise CheckpointError(f"{what} is no JSON object: it is {type(found).__name__}")
    return found


# The seal: the last 32 bytes of a checkpoint, after what HDF5 wrote.


def _checksum(file, size):
    """CRC-32 of the next `size` bytes of a file."""
    crc = 0
    while size > 0 and (piece := file.read(min(size, 1 << 20))):
        crc, size = zlib.crc32(piece, crc), size - len(piece)
    return crc


def check_seal(path):
    """Reads the whole file and raises CheckpointError unless its seal is there and right."""
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END) - SEAL_BYTES
        file.seek(max(size, 0))
        seal = file.read()
        if not seal.startswith(SEAL_MAGIC):
            raise CheckpointError(f"{path} has no seal: it was cut off, or changed by a program that does not seal it")
        file.seek(0)
        if seal != SEAL_MAGIC + struct.pack("<QQ", size, _checksum(file, size)):
            raise CheckpointError(f"{path} is damaged: its bytes are not those that its seal was made for")


def seal(path):
    """Appends a seal to a file that has none, and makes it durable."""
    with open(path, "r+b") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        crc = _checksum(file, size)
        file.seek(size)
        file.write(SEAL_MAGIC + struct.pack("<QQ", size, crc))
        file.flush()
        os.fsync(file.fileno())


def unseal(path):
    """Cuts off the seal, if there is one: before a file is changed with h5py. seal() it afterwards."""
    with open(path, "r+b") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - SEAL_BYTES, 0))
        if file.read(len(SEAL_MAGIC)) == SEAL_MAGIC:
            file.truncate(size - SEAL_BYTES)


# Checkpoints.


def newest_checkpoint(path):
    """The path of a folder's newest checkpoint, that with the greatest step; a file's path as it is."""
    if not os.path.isdir(path):
        return path
    names = (re.fullmatch(r"model\.ckpt-(0|[1-9][0-9]*)\.h5", name) for name in os.listdir(path))
    steps = [int(name[1]) for name in names if name]
    if not steps:
        raise FileNotFoundError(f"{path} holds no checkpoint, no model.ckpt-<step>.h5")
    return os.path.join(path, f"model.ckpt-{max(steps)}.h5")


def _arrays_of(group, path):
    """{"linear_0/kernel": array} of an HDF5 group; {} of {}."""
    found = {}
    waiting = [("", group)]
    while waiting:
        prefix, inner = waiting.pop()
        if prefix.count("/") > MAX_DEPTH:
            raise CheckpointError(f"{path}: {group.name} has groups that lie deeper than {MAX_DEPTH}")
        for name in inner:
            if not isinstance(inner.get(name, getlink=True), h5py.HardLink):
                raise CheckpointError(f"{path}: {inner.name}/{name} is a link; a checkpoint has all arrays in itself")
            item = inner[name]
            if isinstance(item, h5py.Dataset):
                found[prefix + name] = item[()]
            elif isinstance(item, h5py.Group):
                waiting.append((prefix + name + "/", item))
    return found


def _attributes_of(file):
    """A file's attributes as Python's own numbers and texts."""
    return {name: value.item() if isinstance(value, numpy.generic) else value for name, value in file.attrs.items()}


def _group_of(parent, name, path):
    """A group in another one; {} if it is not there."""
    group = parent.get(name, {})
    if isinstance(group, h5py.Dataset):
        raise CheckpointError(f"{path}: {group.name} is a data set; a group is needed")
    return group


def _groups_of(parent, name, path):
    """The groups in a group, by name; {} if it is not there."""
    group = _group_of(parent, name, path)
    return {member: _group_of(group, member, path) for member in group}


def _replicas_of(file, path):
    found = _groups_of(file, "replicas", path)
    for number in range(len(found)):
        if str(number) not in found:
            raise CheckpointError(f"{path}: its group replicas lacks {number}; replicas are numbered from 0")
    return [{slot: _arrays_of(group, path) for slot, group in _groups_of(file, f"replicas/{number}", path).items()}
            for number in range(len(found))]


def _vocabulary_bytes(vocabulary):
    """A vocabulary as the file has it: JSON in one line without blanks."""
    return json.dumps(vocabulary, ensure_ascii=False, separators=(",", ":")).encode()


def _sha256(values):
    return hashlib.sha256(values).hexdigest()


def _vocabulary_of(file, header, path):
    # A listing has links that lead nowhere, too, which `in` has not.
    if "vocabulary" in list(file) and not isinstance(file.get("vocabulary", getlink=True), h5py.HardLink):
        raise CheckpointError(f"{path}: its vocabulary is a link; a checkpoint has it in itself")
    stored = file.get("vocabulary")
    shape = header.get("shape", {})
    if stored is None:  # version 1 has it in the shape
        symbols = shape.get("symbols")
        if symbols is not None and not isinstance(symbols, dict):
            raise CheckpointError(f"{path}: the symbols in its attribute shape are no JSON object")
        return symbols or {}
    if not isinstance(stored, h5py.Dataset) or stored.dtype != "uint8" or stored.ndim != 1:
        raise CheckpointError(f"{path}: its vocabulary is no row of bytes")
    if stored.size > os.path.getsize(path):
        raise CheckpointError(f"{path}: its vocabulary has {stored.size} bytes, more than the whole file")
    values = stored[()].tobytes()
    vocabulary = _json_object(values.decode(), f"{path}: its vocabulary")
    if shape.get("vocabulary_sha256") not in (_sha256(values), _sha256(_vocabulary_bytes(vocabulary))):
        raise CheckpointError(f"{path}: its vocabulary is not the one of which its attribute shape has the "
                              "vocabulary_sha256")
    return vocabulary


def _missed_of(file, path):
    found = _arrays_of(_group_of(file, "missed", path), path)
    if not found:
        return []
    if set(found) != {"counts", "samples"}:
        raise CheckpointError(f"{path}: its group missed has {', '.join(found)}; it needs counts and samples alone")
    for name, values in found.items():
        if values.dtype.kind != "i" or values.ndim != 1 or (values < (name == "counts")).any():
            raise CheckpointError(f"{path}: missed/{name} is no row of whole numbers from {int(name == 'counts')} on")
    counts, samples = found["counts"], found["samples"]
    if (counts > len(samples)).any() or counts.sum() != len(samples):
        raise CheckpointError(f"{path}: missed/counts does not add up to the {len(samples)} samples in missed/samples")
    return numpy.split(samples, numpy.cumsum(counts)[:-1])


def _header_of(file, path):
    header = _attributes_of(file)
    if not isinstance(header.get("format"), str) or header["format"] != FORMAT:
        raise CheckpointError(f"{path} is no checkpoint of Lockstep")
    version = header.get("format_version")
    if not isinstance(version, int):
        raise CheckpointError(f"{path}: its attribute format_version is {version!r:.50}, not a whole number")
    if version > FORMAT_VERSION:
        raise CheckpointError(f"{path} has version {version} of the format; {FORMAT_VERSION} is known")
    for name in JSON_ATTRIBUTES:
        if name in header:
            header[name] = _json_object(header[name], f"{path}: its attribute {name}")
    return header


def read_header(path):
    """The attributes of a checkpoint (a file, or an output_dir: its newest) as a dict, after a look at its seal.

    step, epoch, consumed, model, problem, random_seed, ... as docs/checkpoint_format.md lists them; hparams, config and
    shape are dicts.
    """
    path = newest_checkpoint(path)
    check_seal(path)
    with _reading(path), h5py.File(path, "r") as file:
        return _header_of(file, path)


def read_checkpoint(path):
    """All of a checkpoint (a file, or an output_dir: its newest), after a look at its seal:

    {"header": as of read_header(),
     "parameters": {variable: array},
     "optimizer": {slot: {variable: array}},      {} if it holds no optimizer state
     "ema": {variable: array},                    {} if it holds no moving average
     "vocabulary": of a text, a dict              {} if symbols stand for no text
     "missed": [numbers of samples, ...]          an array for each batch that was not applied yet; [] in most files
     "replicas": [{slot: {variable: array}}]}     [] unless replicas differ, with --strategy=model_averaging
    """
    path = newest_checkpoint(path)
    check_seal(path)
    with _reading(path), h5py.File(path, "r") as file:
        parameters = _group_of(file, "parameters", path)
        if not parameters:
            raise CheckpointError(f"{path} has no group parameters")
        header = _header_of(file, path)
        return {
            "header": header,
            "parameters": _arrays_of(parameters, path),
            "optimizer": {slot: _arrays_of(group, path)
                          for slot, group in _groups_of(file, "optimizer", path).items()},
            "ema": _arrays_of(_group_of(file, "ema", path), path),
            "vocabulary": _vocabulary_of(file, header, path),
            "missed": _missed_of(file, path),
            "replicas": _replicas_of(file, path),
        }


def write_checkpoint(path, parameters, *, step, model, problem, shape=None, hparams=None, config=None, random_seed=1,
                     optimizer=None, ema=None, vocabulary=None, missed=None, **attributes):
    """Writes a checkpoint that train resumes from, or starts from with --warm_start_from.

    parameters, ema: {variable: values}; optimizer: {slot: {variable: values}}; attributes: others of the file, epoch=3
    say. Without a config, train compares nothing when it resumes, and says so. vocabulary: of a text, as
    read_checkpoint() gives it; its SHA-256 is put into the shape. missed: batches that a run which resumes takes first,
    as read_checkpoint() gives them. The file is whole or not there.
    """
    if vocabulary:
        if not shape:
            raise ValueError("a vocabulary needs the shape of the model that was made for it")
        shape = {key: value for key, value in shape.items() if key != "symbols"}  # as version 1 has it
        shape["vocabulary_sha256"] = _sha256(_vocabulary_bytes(vocabulary))
    of_no_run = {"ranks": 1, "on_any_ranks": {}, "on_these_ranks": {}}
    groups = {"parameters": parameters, "ema": ema or {}}
    groups.update({"optimizer/" + slot: variables for slot, variables in (optimizer or {}).items()})
    version = FORMAT_VERSION if missed else VERSION_WITH_VOCABULARY if vocabulary else FIRST_VERSION
    attributes.update({"format": FORMAT, "format_version": version, "step": step, "model": model,
                       "problem": problem, "random_seed": numpy.uint64(random_seed),
                       "hparams": json.dumps(hparams or {}), "config": json.dumps(config or of_no_run)})
    if shape:
        attributes["shape"] = json.dumps(shape)
    with h5py.File(path + ".part", "w", libver="latest") as file:
        file.attrs.update(attributes)
        for group, variables in groups.items():
            for name, values in variables.items():
                file[f"{group}/{name}"] = numpy.asarray(values, dtype="float32")
        if vocabulary:
            file["vocabulary"] = numpy.frombuffer(_vocabulary_bytes(vocabulary), dtype="uint8")
        if missed:
            file["missed/counts"] = numpy.array([len(batch) for batch in missed], dtype="int64")
            file["missed/samples"] = numpy.concatenate(missed).astype("int64")
    seal(path + ".part")
    os.replace(path + ".part", path)


# Metrics.


def read_metrics(path):
    """The lines of a metrics.jsonl (or of the one in an output_dir), a dict each, in order.

    A line that is still being written is left out. Raises CheckpointError for others that are no line of metrics.
    """
    if os.path.isdir(path):
        path = os.path.join(path, "metrics.jsonl")
    lines = []
    with open(path, "rb") as file:
        for number, text in enumerate(file, 1):
            if not text.endswith(b"\n"):
                break
            if number == 1:
                text = text.removeprefix(b"\xef\xbb\xbf")  # the byte order mark of some editors
            lines.append(_json_object(text, f"{path}: line {number}"))
            if not isinstance(lines[-1].get("kind"), str):
                raise CheckpointError(f"{path}: line {number} has no kind")
    return lines


def _column(values):
    """An array of int64, float64 (None becomes NaN) or bool where all values are such, else of objects."""
    kinds = {type(value) for value in values}
    if kinds in ({int}, {bool}):
        return numpy.array(values)
    if kinds <= {int, float, type(None)} and kinds != {type(None)}:
        return numpy.array([numpy.nan if value is None else value for value in values], dtype="float64")
    column = numpy.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        column[i] = value
    return column


def _keys_of(lines):
    """All keys of some lines, each once, in the order in which they come."""
    return list({key: None for line in lines for key in line})


def metrics_by_kind(lines):
    """The lines of read_metrics() as arrays: {"train": {"step": array, "loss": array, ...}, "eval": {...}, ...}.

    All arrays of a kind are as long as the kind has lines. What a line lacks is NaN, or None where others are no
    numbers.
    """
    kinds = {}
    for line in lines:
        kinds.setdefault(line["kind"], []).append(line)
    return {kind: {key: _column([line.get(key) for line in of_kind]) for key in _keys_of(of_kind)}
            for kind, of_kind in kinds.items()}


# Predictions.


def read_predictions(path):
    """A predictions.h5 (or the one in an output_dir), in the order of the samples:

    {"predictions": array (N) or (N, K), "probabilities": array (N, C), "attributes": {"model": ..., "step": ...}}

    Without probabilities, of real targets say, there is no such key. Of sequences, N is the number of all their symbols,
    "probabilities" (N) are those of what is predicted, and there are also "targets" (N), "losses" (N) and "offsets":
    sample i has the rows offsets[i] to offsets[i + 1]. With --predict_top=K there are "top" (N, K), the most probable
    classes or symbols, and "top_probabilities" (N, K). Where symbols stand for texts, "symbols" lists these, as bytes;
    text_of() puts them together. For files larger than memory, open them with h5py.File(path) and read slices.
    """
    if os.path.isdir(path):
        path = os.path.join(path, "predictions.h5")
    with _reading(path), h5py.File(path, "r") as file:
        names = ("predictions", "probabilities", "targets", "losses", "offsets", "top", "top_probabilities")
        found = {name: file[name][()] for name in names if name in file}
        if "predictions" not in found:
            raise CheckpointError(f"{path} has no data set predictions, as --schedule=predict writes it")
        if "symbol_texts" in file:
            texts, offsets = file["symbol_texts"][()].tobytes(), file["symbol_offsets"][()]
            found["symbols"] = [texts[begin:end] for begin, end in zip(offsets, offsets[1:])]
        found["attributes"] = _attributes_of(file)
    return found


def text_of(predictions, numbers):
    """The text that numbers of symbols stand for; predictions: of read_predictions(). What is not UTF-8 becomes U+FFFD.

    print(text_of(predictions, predictions["predictions"][:200]))
    """
    if "symbols" not in predictions:
        raise ValueError("these predictions are of no text: there is nothing that their numbers stand for")
    separator = predictions["attributes"]["symbol_separator"].encode()
    return separator.join(predictions["symbols"][number] for number in numbers).decode(errors="replace")
