#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string_view>

#include "collective/communicator.h"
#include "collective/self_communicator.h"
#include "collective/shm/shm_communicator.h"
#include "support/ranks.h"

// The communicators that the collective tests run on.
namespace lockstep {

// Makes a communicator that joins the ranks of `group`, or returns null if it cannot. COLLECTIVE over the group.
struct CollectiveBackend {
  const char* name;
  std::unique_ptr<Communicator> (*make)(Communicator& group, RankContext& context);
};

inline constexpr CollectiveBackend kCollectiveBackends[] = {
    {"thread, or mpi under mpirun", [](Communicator& group, RankContext&) { return group.split(0, group.rank()); }},
    {"shm",
     [](Communicator& group, RankContext& context) {
       const bool threads = std::string_view(group.name()) == "thread";
       const Sharing sharing = threads ? Sharing::in_process : Sharing::mapped;
       return make_shm_communicator(group, context.trace, sharing).communicator;
     }},
    {"self", [](Communicator& group,
                RankContext& context) { return group.size() == 1 ? make_self_communicator(context.trace) : nullptr; }},
};

// Runs body on each backend that works, on the whole world and on its two halves, on every rank of worlds of threads
// and, under mpirun, of its world.
inline void for_backends(const std::function<void(Communicator&, RankContext&)>& body) {
  for (const CollectiveBackend& backend : kCollectiveBackends) {
    for_rank_contexts([&](RankContext& context) {
      const int rank = context.communicator.rank();
      const int size = context.communicator.size();
      for (const int parts : {1, 2}) {
        if (parts > size) continue;
        const auto group = context.communicator.split(rank * parts / size, rank);
        if (const auto communicator = backend.make(*group, context)) {
          body(*communicator, context);
          communicator->close();
        }
        group->close();
      }
    });
  }
}

}  // namespace lockstep
