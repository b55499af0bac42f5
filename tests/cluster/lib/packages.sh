# shellcheck shell=bash
# Debian packages that the clusters need. Defines: cluster_packages, install_cluster.
# shellcheck source=scripts/lib/prepare.sh
source scripts/lib/prepare.sh
# shellcheck source=tests/cluster/sge/unpack.sh
source tests/cluster/sge/unpack.sh

cluster_packages=(iproute2 procps util-linux)
declare -A packages_of=([hosts]='nftables' [slurm]='slurm-wlm munge' [sge]='libjemalloc2 libmunge2 libtirpc3 libhwloc15')

# install_cluster KIND...: installs Slurm, though none of its services is started; only unpacks Grid Engine.
install_cluster() {
  local kind
  for kind in "$@"; do
    # shellcheck disable=SC2206  # a list of names
    cluster_packages+=(${packages_of[$kind]})
    [[ $kind != sge ]] || unpack_grid_engine
  done
  install_missing "${cluster_packages[@]}"
}
