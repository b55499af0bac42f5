#pragma once

#include <string>

#include "optim/optimizer.h"
#include "train/memory_estimate.h"
#include "train/run_setup.h"

namespace lockstep {

// The memory that a rank of this run will need, which evaluates so many samples. Local.
MemoryEstimate estimate_memory(const RunSetup& run, const TrainingRank& rank, const Optimizer& optimizer,
                               std::int64_t eval_samples);

// What makes it smaller: "; --recompute, a smaller batch_size or ..."
std::string memory_cures(const RunSetup& run, const MemoryEstimate& estimate);

// Before that is taken: says how much it is, and where a host may not have it. COLLECTIVE. Throws Error of every rank
// where it cannot.
void check_memory(const RunSetup& run, const TrainingRank& rank, const MemoryEstimate& estimate);

}  // namespace lockstep
