#!/bin/bash
# `lockstep cluster` in a job of Grid Engine: the whole job in its script, and each process's own place under mpirun.
# Its output for qsub trains with train.sge.
# shellcheck source=tests/cluster/sge/jobs.sh
source tests/cluster/sge/jobs.sh
cluster_up 3
job_script train.sge

home=/mnt/home
cluster="$build/lockstep cluster"
cat >$home/places.sge <<END
#!/bin/bash
#$ -S /bin/bash
#$ -cwd -j y
$cluster --format=hostfile >hostfile
mpirun -np \$NSLOTS --bind-to none $cluster --format=torchrun >of_mpirun
sleep 2
END
chmod 755 $home/places.sge
job=$(submit places -pe mpi 6 places.sge)
end_of 60 places "$job"
[[ $(awk '{ split($2, slots, "="); sum += slots[2] } END { print sum }' $home/hostfile) == 6 ]] ||
  complain "the job's hosts" $home/hostfile $home/places.log
first=$(sed -n '1s/ .*//p' $home/hostfile)
[[ $(grep -c "WORLD_SIZE=6 .* MASTER_ADDR=$first MASTER_PORT=29500\$" $home/of_mpirun) == 6 ]] ||
  complain "under mpirun" $home/of_mpirun $home/places.log
[[ $(sed 's/ .*//' $home/of_mpirun | sort) == "$(printf 'RANK=%s\n' 0 1 2 3 4 5)" ]] ||
  complain "not each rank" $home/of_mpirun $home/places.log

echo 'elsewhere slots=3' >$home/hosts_of_three
$cluster --hostfile=$home/hosts_of_three --format=qsub >$home/three.sge
chmod 755 $home/three.sge
job=$(submit three three.sge three --model=linear --train_steps=20)
end_of 60 three "$job"
finished $home/three || complain "the script for qsub does not train" $home/three.log
said '3 ranks x' $home/three.log || complain "not on 3 ranks" $home/three.log
