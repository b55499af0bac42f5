#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/environment.h"
#include "launch/cluster/cluster_plan.h"
#include "launch/tools/translate/rank_list.h"
#include "launch/tools/translate/sources/own_process.h"

// The sources of a list of ranks, as text or variables that were read already. Pure. Anything that cannot be a list is
// an Error that names the source, the place in it and the cure.
namespace lockstep {

// A cluster in TensorFlow's terms. A task is one rank, unless --worker_gpu or --ps_gpu says how many: the GPUs of other
// machines are not known here. A cluster without tasks is one rank on this machine.
RankList ranks_of_cluster(const TfConfig& config, const ClusterFlags& flags);

// Slurm's two lists. source: their origin, for messages.
RankList ranks_of_slurm(std::string_view hostlist, std::string_view tasks_per_node, const std::string& source);
// The ranks of Slurm's variables: the step's if is_step and they are set, else the job's; nothing if there are none.
// is_step: srun started this process.
std::optional<RankList> ranks_in_slurm(const Environment& environment, bool is_step);

// Grid Engine's PE_HOSTFILE: "HOST SLOTS QUEUE CORES" a line. A host of several queues has several lines, and gets its
// ranks where its first one stands, as from mpirun. path: for messages.
RankList ranks_of_pe_hostfile(std::string_view text, const std::string& path);

// Open MPI's hostfile: "[USER@]HOST [slots=N] [max_slots=N]" a line, or a host once for each of its slots; # begins a
// comment. path: for messages.
RankList ranks_of_hostfile(std::string_view text, const std::string& path);

// A launcher's job about which nothing else is known: all ranks if they are on one host, else this process's.
RankList ranks_of_launcher(const OwnProcess& own);

// Marks which rank this process is. Throws Error, configuration, if the list has another number of processes, or
// another place for this one on its host, than the launcher says: the list is then not that of this job.
void find_own_rank(RankList& list, const OwnProcess& own);
// Returns whether find_own_rank() would not throw.
bool agrees(const RankList& list, const OwnProcess& own);

}  // namespace lockstep
