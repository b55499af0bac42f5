#!/bin/bash
# The users' commands of docs/launching-grid-engine.md, unchanged but for a shorter training: all their jobs train to
# their ends.
# shellcheck source=tests/cluster/sge/jobs.sh
source tests/cluster/sge/jobs.sh
cluster_up 3
job_script train.sge
job_script sweep.sge
job_script evaluate.sge
administer_gpus
ln -s "$build" /mnt/home/build
page_block bash | sed 's|--output_dir=run|& --model=linear --train_steps=200|' >/mnt/home/own.sge

mapfile -t commands < <(page_block "" | sed 's/=mlp/=linear/; s/=20000/=200/')
((${#commands[@]} > 0)) || complain "the page has no commands"
cd /mnt/home
for command in "${commands[@]}"; do
  case $command in
    *evaluate.sge*) mv "RUN.$job" RUN ;;
    *restart*) slow_links ;;  # it has to last until it is suspended
    qmod*) wait_until 60 said 'step 1/200 ' "train.sge.o$job" || complain "job $job does not train" ./*.o* ;;
  esac
  echo "+ ${command/NUMBER/${job:-}}"
  answer=$(as_researcher bash -c "${command/NUMBER/${job:-}}" 2>&1) || complain "$command: $answer"
  echo "$answer"
  if [[ $answer =~ Your\ job(-array)?\ ([0-9]+) ]]; then job=${BASH_REMATCH[2]}; fi
  case $command in
    *restart* | qhold* | qmod*) continue ;;
    qrls*) shape_links 1gbit 0 n1 n2 n3 ;;
  esac
  wait_until 90 gone "$job" || complain "job $job has not ended: $(qstat -u '*')" ./*.o*
  [[ ! -d RUN ]] || mv RUN "RUN.$job"
done
ended=(RUN.* run RUNS/*)
((${#ended[@]} == 10)) || complain "other runs than expected: ${ended[*]}" ./*.o*
for run in "${ended[@]}"; do finished "$run" || complain "$run has not ended" ./*.o*; done
