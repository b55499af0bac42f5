#pragma once

#include <cstdint>
#include <memory>

#include "collective/communicator.h"
#include "train/replica.h"
#include "train/strategy.h"

namespace lockstep {

// Periodic model averaging (local SGD): each replica trains alone on its share of the batch; every sync_every steps the
// replicas meet and take the mean of their parameters. Optimizer states are not averaged. Known as "param" reduction in
// RETURNN; studied by Stich, "Local SGD converges fast and communicates little", ICLR 2019.
struct ModelAveragingOptions {
  std::int64_t sync_every = 100;
  int accumulated_shares = 1;  // of a rank in each step
};

std::unique_ptr<Strategy> make_model_averaging(Communicator& communicator, Trace& trace, Replica& replica,
                                               const ModelAveragingOptions& options);

}  // namespace lockstep
