#!/bin/bash
# Jobs get GPUs of their own from the starter method: on one host and over several, as many as requested, freed ones
# again, and none without a request. The GPUs are fake: only the list that each rank sees counts.
# shellcheck source=tests/cluster/sge/jobs.sh
source tests/cluster/sge/jobs.sh
cluster_up 3
administer_gpus

# Each rank prints the GPUs that it sees, then waits for the file `go`.
cat >/mnt/home/show.sge <<'JOB'
#!/bin/bash
rank='echo "rank on $HOSTNAME sees [$CUDA_VISIBLE_DEVICES]"; until [[ -e go ]]; do sleep 0.2; done'
mpirun -np "$NSLOTS" --bind-to none bash -c "$rank" &
wait $!
sleep 2
JOB
# sees NAME RANKS: prints what the ranks of this job see, once all have said it.
sees() {
  wait_until 60 all_have_said "$1" "$2" || complain "not $2 ranks: $(qstat -u '*')" "/mnt/home/$1.log"
  grep -o 'on n[1-3] sees .*' "/mnt/home/$1.log" | sort -u | tr '\n' ' '
}
all_have_said() { [[ $(grep -c 'rank on' "/mnt/home/$1.log") == "$2" ]]; }
# start NAME RANKS SIGHT WORDS...: submits a job and checks that its ranks see SIGHT.
numbers=()
start() {
  local sight
  numbers+=("$(submit "$1" "${@:4}" show.sge)")
  sight=$(sees "$1" "$2")
  [[ $sight == "$3 " ]] || complain "job $1: $sight, not $3" "/mnt/home/$1.log"
}

start one 2 "on n1 sees [0,1]" -pe smp 2 -l gpu=1,h=n1
start two 1 "on n1 sees [2,3]" -pe smp 1 -l gpu=2,h=n1
start blind 1 "on n2 sees []" -pe smp 1 -l h=n2
start wide 4 "on n2 sees [0,1] on n3 sees [0,1]" -pe mpi 4 -l gpu=1 -l 'h=n[23]'
start next 2 "on n2 sees [2] on n3 sees [2]" -pe mpi 2 -l gpu=1 -l 'h=n[23]'
touch /mnt/home/go
for job in "${numbers[@]}"; do end_of 60 one "$job"; done
start freed 1 "on n1 sees [0]" -pe smp 1 -l gpu=1,h=n1
