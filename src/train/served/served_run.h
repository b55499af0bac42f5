#pragma once

#include "base/hparams.h"
#include "train/config/settings.h"
#include "train/config/training_rank.h"
#include "train/registry/registry.h"
#include "train/served/served_end.h"

namespace lockstep {

// The part of one rank in a run with parameter servers: the chief's, which is a run of its own whose steps are handed
// out and whose state lies with the servers; that of another rank that trains; or a server's. COLLECTIVE over
// rank.served->ranks, at the start and, if no rank was lost, at the end; in between no rank waits for another, but for
// the servers. Throws Error.
ServedEnd run_served(const TrainSettings& settings, const HParams& hparams, const Registry& registry,
                     const TrainingRank& rank);

}  // namespace lockstep
