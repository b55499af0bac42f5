#pragma once

#include "train/strategy/strategy_kind.h"

namespace lockstep {

// The entry of --strategy=central_storage, tf.distribute's CentralStorageStrategy: the parameters and the optimizer's
// state are there once, in the memory of the host that all ranks are on, and replicas compute.
//
// It is sync with shard_optimizer (train/strategy/sync.h) on values of which all ranks have one copy: each rank updates
// its slices of them where they lie, with the optimizer's state of these, which it alone has, so that of this, too, the
// host has one copy. Nothing is gathered. The results are those of sync over the same communicator, to the last bit. A
// rank alone is sync of one rank.
StrategyKind central_storage_strategy();

}  // namespace lockstep
