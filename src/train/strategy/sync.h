#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "collective/communicator.h"
#include "collective/gradient_reducer.h"
#include "train/strategy/replica.h"
#include "train/strategy/strategy.h"
#include "train/strategy/strategy_kind.h"

namespace lockstep {

struct SyncOptions {
  std::int64_t bucket_elements = 1 << 20;
  std::optional<int> micro_shards{};
  std::vector<bool> owners{};               // whether each rank has micro-shards; empty: all have
  int accumulated_shares = 1;               // shares in each step, without micro_shards; 0: follows the others
  Overlap overlap = Overlap::inline_calls;  // how the communicator works, for the description
  DType wire_dtype = DType::float32;        // type in which gradients travel, without micro_shards
  bool shard_optimizer = false;             // each rank updates a part, and has the optimizer's state of it alone
};

// Synchronous data parallelism: gradients are summed over the ranks in each step during the backward pass, and
// each replica applies the same update. With micro_shards (--exact) the sum is one fixed tree, the same bits for any
// number of ranks.
//
// With a 16-bit wire_dtype gradients are rounded to it, summed in float32 and rounded again
// (collective/wire_copy.h). All else travels as it is.
//
// With shard_optimizer (ZeRO-1, train/strategy/divided_optimizer.h) each bucket is reduce-scattered (under --exact the
// tree sums it everywhere), each rank updates its slices, and the new values are gathered by all. The bits are the same
// as without it if reduce_scatter's are those of all_reduce. No rank has all gradients afterwards.
//
// If the replicas share one copy of the values (ParameterStore::common_values(), train/strategy/central_storage.h),
// this needs shard_optimizer, and nothing is gathered: ranks meet before the first of them updates its slices and after
// the last has.
std::unique_ptr<Strategy> make_sync_strategy(Communicator& communicator, Trace& trace, Replica& replica,
                                             const SyncOptions& options);

// The entry of --strategy=sync.
StrategyKind sync_strategy();

}  // namespace lockstep
