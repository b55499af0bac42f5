#!/usr/bin/env bash
# python/lockstep_arrays.py converts CSV files and folders of images into arrays that train learns from. It refuses bad
# rows by file, line and column, and damaged images by file, without leaving anything behind. train names it if it finds
# such files in place of arrays.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
train=$LOCKSTEP_BUILD_DIR/train
export PYTHONDONTWRITEBYTECODE=1
python=/usr/bin/python3  # Debian's, which python3-numpy and python3-pil belong to
"$python" -c 'import numpy' || { echo "skipped: apt-get install python3-numpy" && exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
ln -s "$top/python" python  # messages name the tool as it lies in a clone

fail() {
  printf '%s\n' "FAILED: $1" "${@:2}" >&2
  exit 1
}

convert() { "$python" python/lockstep_arrays.py "$@"; }

# holds DATA ARRAY EXPECTED: compares a .npy file with its type and list as Python prints them.
holds() {
  local said
  said=$("$python" -c 'import numpy, sys; a = numpy.load(sys.argv[1]); print(a.dtype, a.tolist())' "$1/$2.npy")
  [[ $said == "$3" ]] || fail "$1/$2.npy is $said" "and not $3"
}

# refuses PART COMMAND...: checks that the tool ends with 1 and a message of one line with this part and without control
# characters, and that neither DATA nor any other new file exists.
refuses() {
  local part=$1 before said ended=0
  before=$(ls -A)
  said=$(convert "${@:2}" --output=DATA 2>&1) || ended=$?
  [[ $ended == 1 && $said == *"$part"* ]] || fail "${*:2} ended with $ended and said" "$said" "without '$part'"
  [[ $said != *[[:cntrl:]]* ]] || fail "${*:2} said more than one line, or control characters:" "${said@Q}"
  [[ $(ls -A) == "$before" ]] || fail "${*:2} left something:" "$(ls -A)"
}

# learns DATA FLAG...: checks that train gets all samples of the dev split right.
learns() {
  timeout 60 "$train" --problem=arrays --data_dir="$1" "${@:2}" >said 2>&1 || fail "train on $1" "$(cat said)"
  grep -q 'dev accuracy 100.00 %' said || fail "nothing was learned from $1" "$(cat said)"
}

# names_command FOLDER COMMAND: checks that train on a folder without arrays ends with 66 and names this command.
names_command() {
  local ended=0
  timeout 60 "$train" --problem=arrays --data_dir="$1" >said 2>&1 || ended=$?
  [[ $ended == 66 && $(<said) == *"$2"* ]] || fail "train on $1 ended with $ended and does not name '$2'" "$(cat said)"
}

# Two classes on the sides of x = 0; text classes are numbered in sorted order.
mkdir table
{
  echo 'x,twice,side'
  for x in 1 2 3 4 5 6 7 8; do printf '%s\n' "$x,$((2 * x)),right" "-$x,-$((2 * x)),left"; done
} | tee table/val.csv >table/train.csv
said=$(convert csv table --target=side --output=sides)
[[ $said == *'16 train, 16 dev rows, 2 classes: 0 = left, 1 = right'* ]] || fail "it says" "$said"
[[ $(cat sides/classes.txt) == $'left\nright' ]] || fail "classes.txt"
holds sides train_targets "int32 [$(printf '1, 0, %.0s' {1..7})1, 0]"
learns sides --model=linear --train_steps=60 --hparams=learning_rate=0.1
names_command table 'python3 python/lockstep_arrays.py csv '"'table/train.csv'"' --target=COLUMN --output=DATA'

printf '1;-2;7\n\n3;4.5;9\n5;6;7\n7;8;9\n' >plain.csv
convert csv plain.csv --target=3 --output=plain >said
holds plain train_inputs 'float32 [[1.0, -2.0], [3.0, 4.5], [5.0, 6.0], [7.0, 8.0]]'
holds plain train_targets 'int32 [0, 1, 0, 1]'
convert csv plain.csv --target=2 --output=numbers >said
holds numbers train_targets 'float32 [-2.0, 4.5, 6.0, 8.0]'
grep -q 'the target is a number to predict' said || fail "numbers are no classes" "$(cat said)"

rows() { printf 'a,b,kind\n1,2,x\n%b' "$1" >bad.csv; }
rows '3,nan,y\n' && refuses "bad.csv, line 3, column 'b': 'nan' is no finite number: " csv bad.csv --target=kind
rows '3,,y\n' && refuses "bad.csv, line 3, column 'b': there is no value: " csv bad.csv --target=kind
rows '3,1e39,y\n' && refuses "bad.csv, line 3, column 'b': '1e39' is no finite number: " csv bad.csv --target=kind
rows '3,4,\n' && refuses "bad.csv, line 3, column 'kind': there is no value: " csv bad.csv --target=kind
rows '3,4,5\n' && refuses "bad.csv, line 2, column 'kind': 'x' is no finite number: " csv bad.csv --target=kind
rows '3,4\n' && refuses "bad.csv, line 3: 2 columns, but 3 in the first line: " csv bad.csv --target=kind
rows '' && refuses "bad.csv, line 1: there is no column 'king': give --target=one of a, b, kind" csv bad.csv --target=king
refuses "plain.csv, line 1: there is no column '4': give --target=one of 1, 2, 3" csv plain.csv --target=4
rows '3,4,"y\nz"\n' && refuses "line 4, column 'kind': 'y\nz' is text with control characters: " csv bad.csv --target=kind
rows '3,4,\033[2J\n' && refuses "column 'kind': '\x1b[2J' is text with control characters: " csv bad.csv --target=kind
printf 'a\033[2J,kind\n1,x\n' >bad.csv && refuses 'give --target=one of a\x1b[2J, kind' csv bad.csv --target=king
for names in a,a,b,a b,b,a,b kind,a,kind,kind; do  # an input twice, the target twice, and one that is both
  printf '%s\n1,2,3\n' "${names%,*}" >bad.csv
  refuses "bad.csv, line 1: two columns are called '${names##*,}': rename one" csv bad.csv --target="${names##*,}"
done
printf 'a,a,kind\n1,2,x\n' >bad.csv && refuses "two columns are called 'a': rename one" csv bad.csv --target=kind
: >bad.csv && refuses 'bad.csv has no line with inputs and a target' csv bad.csv --target=kind
refuses "No such file or directory: 'nowhere.csv'" csv nowhere.csv --target=kind
cp -r table other && echo '9,18,middle' >>other/val.csv
refuses "other/val.csv, line 18, column 'side': 'middle' is no class of the training split" csv other --target=side
! convert csv plain.csv --target=3 --output=plain 2>said || fail "another folder was overwritten"
grep -q 'plain is there already: give another --output' said || fail "it says" "$(cat said)"

mkdir packed && "$python" -c 'import numpy; numpy.savez("packed/mine.npz", x=[1.0])'
names_command packed "numpy.save('train_inputs.npy', numpy.load('packed/mine.npz')['NAME'])"

"$python" -c 'import PIL' 2>/dev/null || { echo "without images: apt-get install python3-pil" && exit 0; }
"$python" - <<'PYTHON'
import os
from PIL import Image

for split, count in (("train", 8), ("val", 2)):
    for name, color in (("red", (255, 0, 0)), ("blue", (0, 0, 255))):
        os.makedirs(f"images/{split}/{name}")
        os.makedirs(f"gray/{name}", exist_ok=True)
        for number in range(count):
            Image.new("RGB", (10, 6), color).save(f"images/{split}/{name}/{number}.png")
            Image.new("L", (2, 2), color[0]).save(f"gray/{name}/{split}{number}.bmp")
PYTHON
said=$(convert images images --size=2x1 --output=colors)
[[ $said == *'16 train, 4 dev RGB images, 2 classes: 0 = blue, 1 = red'* ]] || fail "it says" "$said"
blue='[[[0, 0, 255]], [[0, 0, 255]]]' red='[[[255, 0, 0]], [[255, 0, 0]]]'
holds colors dev_inputs "uint8 [$blue, $blue, $red, $red]"
holds colors dev_targets 'int32 [0, 0, 1, 1]'
learns colors --model=linear --train_steps=60 --hparams=learning_rate=0.1
names_command images 'python3 python/lockstep_arrays.py images '"'images'"' --size=32x32 --output=DATA'
said=$(convert images gray --size=1x3 --output=grays)
[[ $said == *'20 train gray images, 2 classes: 0 = blue, 1 = red'* ]] || fail "it says" "$said"
"$python" -c '
import numpy
inputs, targets = numpy.load("grays/train_inputs.npy"), numpy.load("grays/train_targets.npy")
assert inputs.shape == (20, 1, 3, 1) and (inputs == 255 * targets[:, None, None, None]).all(), inputs'
refuses "--size=4: give HEIGHTxWIDTH" images images --size=4
mkdir images/val/green
refuses 'images/val/green is no class of the training split' images images --size=4x4
rmdir images/val/green && echo text >images/val/red/1.png
refuses 'images/val/red/1.png cannot be read as an image: ' images images --size=4x4
mkdir empty && refuses 'in empty/*: put some there' images empty --size=4x4

# Links in a circle, one of them through another folder: the two images of each class occur once.
mkdir -p circle/{cat,dog}/inner
for class in cat dog; do
  cp gray/red/val0.bmp "circle/$class/0.bmp" && cp gray/red/val1.bmp "circle/$class/inner/1.bmp"
  ln -s . "circle/$class/loop" && ln -s . "circle/$class/again" && ln -s .. "circle/$class/inner/up"
done
said=$(timeout 60 "$python" python/lockstep_arrays.py images circle --size=1x1 --output=circles) || fail "links in a circle"
[[ $said == *'4 train gray images, 2 classes: 0 = cat, 1 = dog'* ]] || fail "it says" "$said"

for name in $'two\nlines' $'\e[2J' $'next\xc2\x85' $'line\xe2\x80\xa8'; do
  mkdir -p "names/$name" && cp gray/red/val0.bmp "names/$name"
  refuses ": a class's name must not have control characters: rename the folder" images names --size=1x1
  rm -r names
done
[[ $(convert images gray --size=1x1 --output=$'gray\e[2J') == *'--data_dir=gray\x1b[2J' ]] || fail "the output's name"

# Damaged images, for which decoders raise all kinds of errors, are refused by name.
mkdir -p damaged/class
"$python" - <<'PYTHON'
import struct
import zlib

from PIL import Image


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, *more):
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + b"".join(more) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


Image.new("RGB", (4, 4)).save("whole.tif")
tiff = open("whole.tif", "rb").read()
for name, data in {"short_gamma.png": png(4, 4, chunk(b"gAMA", b"1")), "bomb.png": png(60000, 60000),
                   "no_pixels.png": png(4, 4), "words.ppm": b"P6\n4 four\n255\n", "not_ascii.ppm": b"P6\n4 \xff\n255\n",
                   "many_values.ppm": b"P3\n1 1\n255\n1 2 300\n", "cut.tif": tiff[:60], "folder.tif": tiff[:4]}.items():
    with open(name, "wb") as file:
        file.write(data)
PYTHON
for image in short_gamma.png bomb.png no_pixels.png words.ppm not_ascii.ppm many_values.ppm cut.tif folder.tif; do
  mv "$image" damaged/class
  refuses "lockstep_arrays: damaged/class/$image cannot be read as an image: " images damaged --size=1x1
  rm "damaged/class/$image"
done
