#!/bin/bash
# Lines that users add if their site needs them: those of train.sge for data on the hosts' own disks, by uncommenting,
# and those of docs/launching-grid-engine.md for an mpirun that does not know Grid Engine.
# shellcheck source=tests/cluster/sge/jobs.sh
source tests/cluster/sge/jobs.sh
cluster_up 3
job_script train.sge
ln -s "$build" /mnt/home/build
cd /mnt/home

as_researcher bash -c 'mkdir data && seq 1 5000 >data/train.txt'
sed 's/^#\(data=\|trap\|mpirun\|set\)/\1/' train.sge >staged.sge
job=$(submit staged -pe mpi 6 staged.sge staged --problem=languagemodel_text --model=transformer_lm --train_steps=5 \
  --hparams=hidden_size=16,filter_size=16,num_heads=2,num_hidden_layers=1)
end_of 90 staged "$job"
said "--data_dir=/tmp/data-$job" staged.log || complain "the data were not staged" staged.log
finished staged || complain "the job with staged data has not trained to its end" staged.log
for host in n1 n2 n3; do [[ -z $(on "$host" find /tmp -name 'data-*') ]] || complain "$host still has the staged data"; done

# The page's lines for an mpirun that does not know Grid Engine.
{
  echo 'export OMPI_MCA_ras=^gridengine OMPI_MCA_plm_rsh_disable_qrsh=1'
  (cd /mnt/lockstep && page_block shell) | sed 's|--output_dir=run|& --model=linear --train_steps=20|'
  echo 'sleep 2'
} >unaware.sge
job=$(submit unaware -S /bin/bash -pe mpi 6 unaware.sge)
end_of 60 unaware "$job"
finished run || complain "an mpirun that does not know Grid Engine does not train" unaware.log
hosts=$(grep -oE 'rank [0-9]  \w+  n[1-3]' unaware.log | grep -oE 'n[1-3]$' | sort | tr '\n' ' ')
[[ $hosts == "n1 n1 n2 n2 n3 n3 " ]] || complain "not two ranks on each host, but $hosts" unaware.log
