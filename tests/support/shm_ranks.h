#pragma once

#include <functional>

#include "support/ranks.h"

namespace lockstep {

// for_rank_contexts() and for_thread_ranks() with the shm communicator: in memory of this process if ranks are threads,
// mapped between processes under mpirun.
void for_shm_ranks(const std::function<void(RankContext&)>& body);
void for_shm_thread_ranks(int world_size, const std::function<void(RankContext&)>& body);

}  // namespace lockstep
