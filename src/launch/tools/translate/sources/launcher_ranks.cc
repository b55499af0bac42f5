#include <fmt/format.h>

#include "base/error.h"
#include "launch/tools/translate/sources/rank_sources.h"

namespace lockstep {

RankList ranks_of_launcher(const OwnProcess& own) {
  if (own.local_size == own.size) {
    const HostRun here{.host = own.host.empty() ? "localhost" : own.host, .ranks = own.size};
    return list_of_hosts(own.launcher, std::span(&here, 1));
  }
  RankList list{.source = own.launcher, .ranks = {}, .world_size = own.size};
  RankEntry entry{.rank = own.rank,
                  .role = own.rank == 0 ? Role::chief : Role::worker,
                  .task = own.rank == 0 ? TaskName{"chief", 0} : TaskName{"worker", own.rank - 1},
                  .host = own.host,
                  .local_rank = own.local_rank,
                  .local_size = own.local_size,
                  .gpu = own.local_rank};
  if (own.rank == 0) list.first_host = own.host;
  list.ranks.push_back(std::move(entry));
  return list;
}

bool agrees(const RankList& list, const OwnProcess& own) {
  const std::size_t processes = list.ranks.size() + list.evaluators.size();
  if (static_cast<std::size_t>(own.size) != processes) return false;
  if (static_cast<std::size_t>(own.rank) >= list.ranks.size()) return true;  // an evaluator
  const RankEntry& entry = list.ranks[static_cast<std::size_t>(own.rank)];
  return !list.evaluators.empty() || (entry.local_rank == own.local_rank && entry.local_size == own.local_size);
}

void find_own_rank(RankList& list, const OwnProcess& own) {
  if (!agrees(list, own)) {
    throw Error(ExitCode::configuration,
                fmt::format("{} describes {}, but the launcher ({}) has started this process as rank {} of {}, {} "
                            "of {} on its host: start the ranks where they are described (--format=mpirun), or unset "
                            "what does not belong to this job",
                            list.source, counted_processes(list), own.launcher, own.rank, own.size, own.local_rank,
                            own.local_size));
  }
  list.own_rank = own.rank;
}

}  // namespace lockstep
