#pragma once

#include "train/strategy/strategy_kind.h"

namespace lockstep {

// The entry of --strategy=central_storage, tf.distribute's CentralStorageStrategy: the parameters and the optimizer's
// state exist once, in the memory of the host that all ranks are on, and replicas compute.
//
// It is sync with shard_optimizer (train/strategy/sync.h) on one copy of the values that all ranks share: each rank
// updates its slices in place. It alone has the optimizer's state of these, so the host has one copy of that, too.
// Nothing is gathered. The results are those of sync over the same communicator, to the last bit. A rank alone is sync
// of one rank.
StrategyKind central_storage_strategy();

}  // namespace lockstep
