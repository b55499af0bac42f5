#!/bin/bash
# Time from the start of the first rank's process to the end of the first step, on three hosts, for TIMES jobs. The
# bound allows for a busy machine: a quiet one takes a third of a second.
# shellcheck source=tests/cluster/lib/check.sh
source tests/cluster/lib/check.sh
# shellcheck source=tests/cluster/hosts/cluster.sh
source tests/cluster/hosts/cluster.sh
cluster_up 3

cat >/mnt/bin/started <<'PROGRAM'
#!/bin/bash
# Prints the start time of the rank's process, then becomes the rank.
echo "started $EPOCHREALTIME" >&2
exec "$@"
PROGRAM
chmod 755 /mnt/bin/started
startup_seconds() {
  mpirun_over n1:2,n2:2,n3:2 /mnt/bin/started "$build/train" --train_steps=2 --log_every=1 2>&1 >/dev/null |
    while IFS= read -r line; do
      case $line in
        "started "*) echo "${line#started }" ;;
        *"step 1/2 "*) echo "$EPOCHREALTIME" ;;
      esac
    done | sort -n | awk 'NR == 1 { first = $1 } END { printf "%.3f\n", $1 - first }'
}
mapfile -t seconds < <(for _ in 1 2 3 4 5; do startup_seconds; done | sort -n)
echo "seconds to the first step: ${seconds[*]}; median ${seconds[2]}"
awk -v s="${seconds[2]}" 'BEGIN { exit !(s > 0 && s < 5) }' || complain "the median is ${seconds[2]} s"
