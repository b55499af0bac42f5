#include <fmt/format.h>

#include <algorithm>

#include "launch/tools/translate/formats/rank_formats.h"

namespace lockstep {
namespace {

std::string tasks_of(std::span<const HostRun> hosts, std::size_t processes) {
  const int of_first = hosts.front().ranks;
  if (std::ranges::all_of(hosts, [of_first](const HostRun& host) { return host.ranks == of_first; })) {
    return fmt::format("#SBATCH --ntasks-per-node={}\n##SBATCH --gpus-per-node={}\n", of_first, of_first);
  }
  return fmt::format(
      "# Not the same number on each node: --distribution=arbitrary with SLURM_HOSTFILE would say which.\n#SBATCH "
      "--ntasks={}\n",
      processes);
}

}  // namespace

std::string sbatch_script(const RankList& list) {
  const std::vector<RankEntry> processes = launched_processes(list);
  const std::vector<HostRun> hosts = processes_by_host(processes);
  std::string flags;
  for (const std::string& flag : list.train_flags) flags += (flags.empty() ? "" : " ") + shell_word(flag);
  std::string exports;  // sbatch passes on what is set at submission
  for (const std::string& assignment : variable_assignments(list)) exports += fmt::format("export {}\n", assignment);
  return fmt::format(R"(#!/bin/bash
# Trains on as many nodes and ranks as {} describes:
#
#   sbatch SCRIPT [FLAG OF TRAIN]...
#
# scripts/slurm/train.sbatch says what else there is to set.
#SBATCH --job-name=train
##SBATCH --partition=...
##SBATCH --account=...
#SBATCH --nodes={}
{}#SBATCH --cpus-per-task=1
#SBATCH --time=24:00:00
#SBATCH --output=%x-%j.log
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:USR1@90

# module load openmpi   # what lockstep was built with
lockstep=$HOME/lockstep
train=$lockstep/build/train
output_dir=$HOME/runs/$SLURM_JOB_NAME
flags=({})
{}launch=(srun --mpi=pmix --kill-on-bad-exit)
# Where `srun --mpi=list` has no pmix:
#launch=(mpirun --bind-to none)
margin=120 # seconds before the time limit by which all is saved

exec "$lockstep/scripts/slurm/until_finished" "$output_dir" "$margin" "${{launch[@]}}" "$train" "${{flags[@]}}" "$@"
)",
                     script_source(list), hosts.size(), tasks_of(hosts, processes.size()), flags, exports);
}

}  // namespace lockstep
