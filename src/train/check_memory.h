#pragma once

#include <new>
#include <string>
#include <utility>

#include "tensor/allocator.h"
#include "train/config/training_rank.h"
#include "train/rank_memory.h"

namespace lockstep {

// "; a rank of this run needs about 772 MB: ...; what helps: --recompute, a smaller batch_size", for a message of
// memory that could not be had.
std::string memory_need(const MemoryRequest& request);

// Before that is taken: says how much it is, warns where a host may not have it, and throws Error(configuration) of
// every rank where a host never has. COLLECTIVE over the compute group.
void check_memory(const MemoryRequest& request, const TrainingRank& rank);

// Runs what takes the memory. need: what a failure for want of it adds to its message.
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
