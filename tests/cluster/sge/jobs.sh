# shellcheck shell=bash
# Shared by the tests on Grid Engine: jobs that the researcher submits from the home folder, with the log NAME.log.
# Defines: flags, slow_links, job_script, submit, end_of, in_state, exit_status_is, host_of_rank, trains, ends_like,
# page_block, administer_gpus.
# shellcheck source=tests/cluster/lib/check.sh
source tests/cluster/lib/check.sh
# shellcheck source=tests/cluster/sge/cluster.sh
source tests/cluster/sge/cluster.sh

# A run of 40 steps that lasts 15 s after slow_links, since it mostly waits for the network. Over mpi, because auto
# gives other bits on one host than on several.
# shellcheck disable=SC2034  # for the tests
flags=(--model=linear --train_steps=40 --save_checkpoints_steps=10 --log_every=10 --collective=mpi)
slow_links() { shape_links 1mbit 0 n1 n2 n3; }

# job_script NAME [HOST_WAIT]: prints the researcher's copy of scripts/sge/NAME, with the program and short times filled
# in.
job_script() {
  sed -e "s|^program=[^ ]*|program=$build/train|" -e 's|^margin=[^ ]*|margin=10|' \
    -e "s|^host_wait=[^ ]*|host_wait=${2:-45}|" "scripts/sge/$1" >"/mnt/home/$1"
  chmod 755 "/mnt/home/$1"
}

# submit NAME WORDS...: prints the job's number, or JOB.TASKS for an array.
submit() { (cd /mnt/home && as_researcher qsub -terse -N "$1" -o "$1.log" -j y -cwd "${@:2}"); }

# end_of SECONDS NAME JOB: waits until the job neither runs nor waits.
end_of() {
  wait_until "$1" gone "$3" || complain "$2 has not ended after $1 s: $(qstat -u '*')" "/mnt/home/$2.log"
}
gone() { ! qstat -j "$1"; }

# in_state LETTERS JOB: compares with the state column of qstat.
in_state() { [[ $(qstat -u '*' | awk -v job="$2" '$1 == job { print $5 }') == "$1" ]]; }

# exit_status_is CODE JOB: looks at the record of the host where the script ran.
exit_status_is() { qacct -j "$2" | grep -E "^exit_status +$1\b"; }

# host_of_rank RANK NAME: prints the host from the last start's log.
host_of_rank() { sed -nE "s/.* rank $1  [a-z]+  (n[0-9]+) .*/\1/p" "/mnt/home/$2.log" | tail -n 1; }

# trains NAME: waits until the log reports a saved step, so that a signal finds something to save.
trains() { wait_until 60 said 'saved step 10:' "/mnt/home/$1.log" || complain "$1 does not train" "/mnt/home/$1.log"; }

# ends_like NAME REFERENCE: checks that it has trained to its end, to the same bits.
ends_like() {
  finished "/mnt/home/$1" || complain "$1 has not trained to its end" "/mnt/home/$1.log"
  [[ $(parameters_of "/mnt/home/$1") == "$(parameters_of "/mnt/home/$2")" ]] ||
    complain "$1 ends with other parameters than $2" "/mnt/home/$1.log"
}

# page_block LANGUAGE: prints the lines of the page's blocks in this language; "" for commands.
page_block() { page_blocks docs/launching-grid-engine.md "$1" | tr -d '\0'; }

# administer_gpus: sets up four fake GPUs per host, and the starter, by the commands of the page for administrators.
administer_gpus() {
  local host
  sed 's|^gpus=.*|gpus="0 1 2 3"|' scripts/sge/gpu_starter >/mnt/gpu_starter
  chmod 755 /mnt/gpu_starter
  page_block sh | sed 's|/opt/lockstep|/mnt|' >/tmp/administer
  (cd /tmp && bash -e administer)
  for host in n2 n3; do qconf -mattr exechost complex_values gpu=4 "$host"; done
}
