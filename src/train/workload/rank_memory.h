#pragma once

#include <cstdint>
#include <string>

#include "train/strategy/strategy_kind.h"
#include "train/workload/memory_estimate.h"
#include "train/workload/workload.h"

namespace lockstep {

// The parts of a run that decide its memory. All are the caller's.
struct MemoryRequest {
  const TrainSettings& settings;
  const HParams& hparams;
  const StrategyKind& strategy;
  const Workload& workload;
  std::int64_t slots = 0;  // number of optimizer slots
  int ranks = 1;           // ranks with a replica of the model
  bool saves = false;      // this rank writes the checkpoints
  DType products = DType::float32;
  bool on_host = true;  // computes in the host's memory; otherwise host memory is left out
};

// The memory that a rank of the run will need. Local.
MemoryEstimate estimate_memory(const MemoryRequest& request);

// The run's batch size in terms of the user's setting.
BatchSize batch_size(const MemoryRequest& request);

// The text of --print_memory: the memory of rank 0 of a run on that many ranks, by owner. Reads the data, which are
// part of it.
std::string describe_memory(const TrainSettings& settings, const Registry& registry, int ranks);

}  // namespace lockstep
