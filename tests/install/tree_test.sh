#!/usr/bin/env bash
# Other parts of an installed tree: pages without broken links, job scripts and man pages of these programs, the Python
# modules.
#   tree_test.sh PREFIX BIN_DIR
set -euo pipefail
prefix=$1 bin=$1/$2 share=$1/share/lockstep

fail() {
  echo "FAILED: $1"
  exit 1
}

# broken_links: prints the links of all pages to missing files.
broken_links() {
  local page link
  while IFS= read -r page; do
    grep -oE '\]\([^)#:]+[)#]' "$page" | sed 's|^..||; s|.$||' | while IFS= read -r link; do
      [[ -e ${page%/*}/$link ]] || echo "$page: $link"
    done
  done < <(find "$share" -name '*.md')
}
[[ -f $share/docs/training.md ]] || fail "no docs were installed"
[[ -z $(broken_links) ]] || fail "links lead nowhere: $(broken_links)"

for script in sge/train.sge slurm/train.sbatch slurm/until_finished; do
  [[ -x $share/scripts/$script ]] || fail "no $script was installed"
done
for script in sge/train.sge slurm/{train,evaluate,sweep}.sbatch; do
  grep -qx "\(program\|train\)=$bin/train" "$share/scripts/$script" || fail "$script starts another train than $bin/train"
done
! grep -r 'HOME/lockstep' "$share/scripts" || fail "job scripts use a clone"
grep -qx "lockstep=$share" "$share/scripts/slurm/train.sbatch" || fail "train.sbatch looks for until_finished elsewhere"

for help in "train --help=all" "lockstep --help"; do
  program=${help%% *}
  page=$prefix/share/man/man1/$program.1
  diff <(sed -n '/^\.nf$/,/^\.fi$/p' "$page" | sed '1d;$d; s/\\&//; s/\\-/-/g; s/\\e/\\/g') <("$bin/$program" "${help#* }") ||
    fail "$program.1 is not the whole help"
  grep -qE "^$program .- .{20}" "$page" || fail "$program.1 does not say what the program is for"
done

# Debian's Python, which python3-h5py belongs to.
PYTHONPATH=$share/python /usr/bin/python3 -B -c 'import lockstep_arrays, lockstep_checkpoint, lockstep_tf_config' || fail "the Python modules cannot be imported"
