# shellcheck shell=bash
# What the tests on Grid Engine share: jobs that the researcher submits from /mnt/home. A job NAME writes NAME.log. Defines:
# submit, job_script, gone, record.
# shellcheck source=tests/cluster/lib/check.sh
source tests/cluster/lib/check.sh
# shellcheck source=tests/cluster/sge/cluster.sh
source tests/cluster/sge/cluster.sh

# job_script NAME: a user's copy of scripts/sge/NAME, with the variables that are to be changed.
job_script() {
  sed -e "s|^program=[^ ]*|program=$build/train|" -e "s|^margin=[^ ]*|margin=${margin:-10}|" "scripts/sge/$1" >"/mnt/home/$1"
  chmod 755 "/mnt/home/$1"
}

# submit NAME WORDS...: prints the job's number.
submit() { (cd /mnt/home && as_researcher qsub -terse -N "$1" -o "$1.log" -j y -cwd "${@:2}"); }

# gone JOB: it neither runs nor waits.
gone() { ! qstat -j "$1"; }

# end_of SECONDS NAME JOB: waits for a job's end.
end_of() { wait_until "$1" gone "$3" || complain "job $2 has not ended after $1 s: $(qstat)" "/mnt/home/$2.log"; }
