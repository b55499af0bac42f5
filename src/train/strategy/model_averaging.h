#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "collective/communicator.h"
#include "train/strategy/replica.h"
#include "train/strategy/strategy.h"
#include "train/strategy/strategy_kind.h"

namespace lockstep {

struct ModelAveragingOptions {
  std::int64_t interval = 100;  // steps between two meetings
  int accumulated_shares = 1;   // shares of this rank in each step; 0: it only takes the others' mean
  std::vector<int> learners{};  // the ranks that have shares, whose optimizer states are kept; empty: all
};

// Periodic model averaging (local SGD): each replica trains alone on its share of the batch; every N steps the
// replicas meet and take the mean of their parameters. A replica that has seen no data since the last meeting has
// learned nothing to add: the mean is over the others. Optimizer states are not averaged. Known as "param" reduction in
// RETURNN; studied by Stich, "Local SGD converges fast and communicates little", ICLR 2019.
std::unique_ptr<Strategy> make_model_averaging(Communicator& communicator, Trace& trace, Replica& replica,
                                               const ModelAveragingOptions& options);

// The entry of --strategy=model_averaging.
StrategyKind model_averaging_strategy();

}  // namespace lockstep
