"""Makes the arrays that `train --problem=arrays` reads, from folders of images or from CSV files.

    python3 lockstep_arrays.py images FOLDER --size=32x32 --output=DATA
    python3 lockstep_arrays.py csv FILE --target=COLUMN --output=DATA

Images lie in one folder per class, as for torchvision's ImageFolder. FOLDER/train, FOLDER/val (or dev) and FOLDER/test
are the splits; without train, FOLDER itself is the training split. They become uint8 of (N, height, width, 3), or of
(N, height, width, 1) if all of them are gray. In a CSV file all columns but the target become float32 inputs; a folder
in place of FILE has the splits in train.csv, val.csv (or dev.csv) and test.csv. DATA/classes.txt names the classes in
the order of their numbers. DATA appears when it is complete. Needs NumPy, and Pillow for images.
"""

import argparse
import array
import contextlib
import csv
import os
import random
import re
import shutil
import signal
import sys
import warnings

import numpy

SPLITS = {"train": ["train"], "dev": ["dev", "val"], "test": ["test"]}  # and their names on the disk
IMAGE_ENDINGS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")  # torchvision's
MOST_FLOAT32 = 3.4028234663852886e38
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")  # with all line ends that Python knows


class ArraysError(ValueError):
    """Says what was found, where, and what to do about it."""


def _escaped(text):
    """The text on one line that a terminal shows and does not obey."""
    return CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


@contextlib.contextmanager
def _complete_folder(path):
    """A folder that gets its name when it is complete; after an error nothing is left."""
    path = os.path.abspath(path)
    if os.path.lexists(path) and not (os.path.isdir(path) and not os.listdir(path)):
        raise ArraysError(f"{path} is there already: give another --output, or remove it")
    partial = f"{path}.partial-{os.getpid()}"
    os.makedirs(partial)
    try:
        yield partial
        os.rename(partial, path)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def _find_splits(folder, ending):
    """{split: path} of those that are there."""
    found = {}
    for split, names in SPLITS.items():
        paths = [path for path in (os.path.join(folder, name + ending) for name in names) if os.path.exists(path)]
        if len(paths) > 1:
            raise ArraysError(f"{paths[0]} and {paths[1]} are both there, but there is one {split} split: rename one")
        found.update({split: path for path in paths})
    return found


def _save_targets(output, split, targets, dtype):
    numpy.save(os.path.join(output, f"{split}_targets.npy"), numpy.array(targets, dtype))


def _name_classes(output, classes):
    """Writes classes.txt, and returns what there is to say of it."""
    with open(os.path.join(output, "classes.txt"), "w", encoding="utf-8", errors="surrogateescape") as file:
        file.writelines(f"{name}\n" for name in classes)
    shown = ", ".join(f"{label} = {name}" for label, name in enumerate(classes[:5]))
    return f"{len(classes)} classes: {shown}" + (", ..." if len(classes) > 5 else "")


def _classes_in(folder):
    names = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir())
    for name in filter(CONTROL.search, names):
        raise ArraysError(f"{folder}/{name}: a class's name must not have control characters: rename the folder")
    return names


def _folders_in(top):
    """(path, files) of top and each folder beneath, in the order of the paths: once, however many links lead there."""
    found, seen = [], set()
    for place, folders, files in os.walk(top, followlinks=True):
        if (real := os.path.realpath(place)) in seen:
            folders.clear()
        else:
            folders.sort()  # so that it is always the same path that is kept
            seen.add(real)
            found.append((place, sorted(files)))
    return sorted(found)


def _images_in(folder, classes):
    """(path, label) of each image, in the order of the paths."""
    for name in _classes_in(folder):
        if name not in classes:
            raise ArraysError(f"{folder}/{name} is no class of the training split: add it there, or remove it")
    for label, name in enumerate(classes):
        for place, files in _folders_in(os.path.join(folder, name)):
            for file in files:
                if file.lower().endswith(IMAGE_ENDINGS):
                    yield os.path.join(place, file), label


def _with_image(path, use):
    """use(image), once it is open."""
    from PIL import Image  # CSV files need no Pillow

    try:
        with Image.open(path) as image:
            if image.mode in ("I", "F") or image.mode.startswith("I;"):
                raise ArraysError(f"{path} has more than 8 bits a channel: save it with 8 bits")
            return use(image)
    except ArraysError:
        raise
    except Exception as error:  # decoders raise all kinds for damaged files
        what = str(error) or type(error).__name__
        raise ArraysError(f"{path} cannot be read as an image: {what}: save it again, or remove it") from error


def convert_images(folder, size, output):
    """Writes the arrays of a folder of images, and returns what there is to say of them."""
    if not re.fullmatch(r"[1-9]\d{0,4}x[1-9]\d{0,4}", size):
        raise ArraysError(f"--size={size}: give HEIGHTxWIDTH in pixels, for example 32x32")
    height, width = (int(side) for side in size.split("x"))
    splits = _find_splits(folder, "")
    if "train" not in splits or not _classes_in(splits["train"]):  # a folder of images called train is a class
        splits = {"train": folder}
    classes = _classes_in(splits["train"])
    images = {split: list(_images_in(path, classes)) for split, path in splits.items()}
    missing = set(range(len(classes))) - {label for _, label in images["train"]}
    if missing or not classes:
        empty = os.path.join(splits["train"], classes[min(missing)] if missing else "*")
        raise ArraysError(f"no images ({' '.join(IMAGE_ENDINGS)}) in {empty}: put some there, or remove it")
    random.Random(1).shuffle(images["train"])  # streamed data must not be sorted by class
    paths = (path for samples in images.values() for path, _ in samples)
    gray = all(_with_image(path, lambda image: image.mode in ("1", "L", "LA")) for path in paths)
    for split, samples in images.items():
        with open(os.path.join(output, f"{split}_inputs.npy"), "wb") as file:
            shape = (len(samples), height, width, 1 if gray else 3)
            numpy.lib.format.write_array_header_1_0(file, {"descr": "|u1", "fortran_order": False, "shape": shape})
            for path, _ in samples:
                scale = lambda image: image.convert("L" if gray else "RGB").resize((width, height), 2)  # 2: bilinear
                file.write(_with_image(path, scale).tobytes())
        _save_targets(output, split, [label for _, label in samples], numpy.int32)
    counts = ", ".join(f"{len(samples)} {split}" for split, samples in images.items())
    return f"{counts} {'gray' if gray else 'RGB'} images, {_name_classes(output, classes)}"


def _number(text):
    """None: it is no finite number of float32."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) <= MOST_FLOAT32 and "_" not in text else None


class _Table:
    """The rows of a CSV file: the inputs as numbers, the target as text."""

    def __init__(self, path, target):
        self.path, self.inputs, self.targets, self.lines = path, array.array("f"), [], []
        with open(path, newline="", encoding="utf-8-sig", errors="surrogateescape") as file:
            first = file.readline()
            file.seek(0)
            reader = csv.reader(file, delimiter="\t" if "\t" in first else ";" if ";" in first else ",")
            try:
                self._read(((reader.line_num, [cell.strip() for cell in row]) for row in reader if any(row)), target)
            except csv.Error as error:
                raise ArraysError(f"{path}, line {reader.line_num}: {error}: correct the line, or remove it") from error

    def _read(self, rows, target):
        line, first = next(rows, (1, []))
        # Names are no numbers, but for the target's. Without names, columns are counted from 1.
        has_names = target in first and not target.isdigit() or not any(_number(cell) is not None for cell in first)
        self.columns = first if has_names else [str(number + 1) for number in range(len(first))]
        if len(set(self.columns)) < len(self.columns):
            twice = next(name for number, name in enumerate(self.columns) if name in self.columns[:number])
            raise ArraysError(f"{self.path}, line {line}: two columns are called {twice!r}: rename one, or remove it")
        if target not in self.columns and target.isdigit() and 1 <= int(target) <= len(first):
            target = self.columns[int(target) - 1]
        self.target = target
        if first and target not in self.columns:
            raise ArraysError(f"{self.path}, line {line}: there is no column {target!r}: give --target=one of "
                              f"{', '.join(self.columns[:20])}")
        for line, cells in rows if has_names else [(line, first), *rows]:
            if len(cells) != len(first):
                raise ArraysError(f"{self.path}, line {line}: {len(cells)} columns, but {len(first)} in the first line: "
                                  f"correct the line, or remove it")
            self.lines.append(line)
            for column, cell in zip(self.columns, cells):
                if column == target:
                    if not cell or CONTROL.search(cell):
                        self.refuse(-1, column, cell, why="text with control characters")
                    self.targets.append(cell)
                elif (value := _number(cell)) is not None:
                    self.inputs.append(value)
                else:
                    self.refuse(-1, column, cell, "remove the line or the column, or replace text by numbers")
        if not self.inputs:
            raise ArraysError(f"{self.path} has no line with inputs and a target: give another file")

    def refuse(self, row, column, cell, cure="correct the line, or remove it", why="no finite number"):
        what = f"{cell!r} is {why}" if cell else "there is no value"
        raise ArraysError(f"{self.path}, line {self.lines[row]}, column {column!r}: {what}: {cure}")

    def classes(self):
        """The texts of the target in the order of their numbers; None: it is a number to predict."""
        numeric = [_number(text) is not None for text in self.targets]
        if any(numeric) and not all(numeric):
            self.refuse(row := numeric.index(False), self.target, self.targets[row])
        texts = set(self.targets)
        if not any(numeric):
            return sorted(texts)
        whole = all(re.fullmatch(r"-?\d+", text) for text in texts)
        return sorted(texts, key=int) if whole and len(texts) <= min(1000, len(self.targets) / 2) else None

    def save(self, output, split, classes):
        value_of = {text: label for label, text in enumerate(classes)}.get if classes else _number
        values = [value_of(text) for text in self.targets]
        if None in values:
            why = "no class of the training split" if classes else "no finite number"
            self.refuse(row := values.index(None), self.target, self.targets[row], why=why)
        numpy.save(os.path.join(output, f"{split}_inputs.npy"),
                   numpy.array(self.inputs, numpy.float32).reshape(len(self.lines), -1))
        _save_targets(output, split, values, numpy.int32 if classes else numpy.float32)


def convert_csv(path, target, output):
    """Writes the arrays of a CSV file or a folder of them, and returns what there is to say of them."""
    splits = _find_splits(path, ".csv") if os.path.isdir(path) else {"train": path}
    if "train" not in splits:
        raise ArraysError(f"{path} has no train.csv: give the file itself, or name it so")
    tables = {split: _Table(file, target) for split, file in splits.items()}
    classes = tables["train"].classes()
    for split, table in tables.items():
        if table.columns != tables["train"].columns:
            raise ArraysError(f"{table.path} has other columns than {splits['train']}: make them the same")
        table.save(output, split, classes)
    counts = ", ".join(f"{len(table.lines)} {split}" for split, table in tables.items())
    return f"{counts} rows, {_name_classes(output, classes) if classes else 'the target is a number to predict'}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="images|csv")
    for name, source, option, value, convert in (("images", "FOLDER", "--size", "HEIGHTxWIDTH", convert_images),
                                                 ("csv", "FILE", "--target", "COLUMN", convert_csv)):
        command = commands.add_parser(name)
        command.add_argument("source", metavar=source)
        command.add_argument(option, dest="how", metavar=value, required=True)
        command.add_argument("--output", metavar="DATA", required=True)
        command.set_defaults(convert=convert)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.stdout.reconfigure(errors="backslashreplace")
    warnings.filterwarnings("ignore", module="PIL")  # an image that cannot be read is one line
    try:
        with _complete_folder(options.output) as output:
            said = options.convert(options.source, options.how, output)
    except (ArraysError, ImportError, OSError) as error:
        sys.exit(f"lockstep_arrays: {_escaped(str(error))}")
    print(f"{said}\ntrain --problem=arrays --data_dir={_escaped(options.output)}")


if __name__ == "__main__":
    main()
