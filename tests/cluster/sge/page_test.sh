#!/bin/bash
# The users' commands of docs/launching-grid-engine.md, as they stand there but for a shorter training: all their jobs train
# to their ends. So do those with the lines of train.sge for data on the hosts' own disks, and with those of the page for an
# mpirun that does not know Grid Engine.
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
    *restart*) slow_links ;;  # this one has to last until it is suspended
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

as_researcher bash -c 'mkdir data && seq 1 5000 >data/train.txt'
sed 's/^#\(data=\|trap\|mpirun\|set\)/\1/' train.sge >staged.sge
job=$(submit staged -pe mpi 6 staged.sge staged --problem=languagemodel_text --model=transformer_lm --train_steps=5 \
  --hparams=hidden_size=16,filter_size=16,num_heads=2,num_hidden_layers=1)
end_of 90 staged "$job"
said "--data_dir=/tmp/data-$job" staged.log || complain "the data were not staged" staged.log
finished staged || complain "the job with staged data has not trained to its end" staged.log
for host in n1 n2 n3; do [[ -z $(on "$host" find /tmp -name 'data-*') ]] || complain "$host still has the staged data"; done

rm -rf run
{
  echo 'export OMPI_MCA_ras=^gridengine OMPI_MCA_plm_rsh_disable_qrsh=1'
  (cd /mnt/lockstep; page_block shell) | sed 's|--output_dir=run|& --model=linear --train_steps=20|'
  echo 'sleep 2'
} >unaware.sge
job=$(submit unaware -S /bin/bash -pe mpi 6 unaware.sge)
end_of 60 unaware "$job"
finished run || complain "an mpirun that does not know Grid Engine does not train" unaware.log
[[ $(host_of_rank 5 unaware) == n3 ]] || complain "not on all hosts" unaware.log
