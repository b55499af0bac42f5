#pragma once

#include <new>
#include <string>
#include <utility>

#include "tensor/allocator.h"
#include "train/config/training_rank.h"
#include "train/workload/rank_memory.h"

namespace lockstep {

// Returns "; a rank of this run needs about 772 MB: ...; what helps: --recompute, a smaller batch_size", to append to
// the message of a failed allocation.
std::string memory_need(const MemoryRequest& request);

// To be called before that memory is taken: logs how much it is, warns if a host may not have it, and throws
// Error(configuration) of every rank if a host can never have it. COLLECTIVE over the compute group.
void check_memory(const MemoryRequest& request, const TrainingRank& rank);

// Runs body, which takes the memory. need: text appended to the message if it runs out.
template <class Body>
auto with_need_named(const std::string& need, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (const OutOfMemory& error) {
    throw Error(error.code(), error.what() + need);
  } catch (const std::bad_alloc&) {
    throw Error(ExitCode::internal, "out of memory" + need);
  }
}

}  // namespace lockstep
