#pragma once

#include <memory>
#include <optional>

#include "collective/communicator.h"
#include "collective/gradient_reducer.h"
#include "train/replica.h"
#include "train/strategy.h"

namespace lockstep {

// Synchronous data parallelism: gradients are summed over the ranks in each step while the backward pass goes on, each
// replica applies the same update. With micro_shards (--exact) the sum is one fixed tree, the same bits for any number
// of ranks.
struct SyncOptions {
  std::int64_t bucket_elements = 1 << 20;
  std::optional<int> micro_shards{};
  int accumulated_shares = 1;  // of a rank in each step, without micro_shards
};

std::unique_ptr<Strategy> make_sync_strategy(Communicator& communicator, Trace& trace, Replica& replica,
                                             const SyncOptions& options);

}  // namespace lockstep
