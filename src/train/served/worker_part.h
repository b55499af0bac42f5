#pragma once

#include <vector>

#include "base/hparams.h"
#include "train/config/agreement.h"
#include "train/config/settings.h"
#include "train/config/training_rank.h"
#include "train/registry/registry.h"
#include "train/served/served_link.h"
#include "train/served/served_plan.h"
#include "train/workload/workload.h"

namespace lockstep {

// A training rank's findings about data and model, for ServedPlan::found.
std::vector<AgreedItem> found_items(const TrainSettings& settings, const Workload& workload);

// The part of a rank that trains, but is not the chief, in a run with parameter servers: makes the steps that the
// servers hand out to it, until there are no more. It writes nothing.
void train_as_worker(const TrainSettings& settings, const HParams& hparams, const Registry& registry,
                     const TrainingRank& rank, const ServedPlan& plan, const ServedLink& link);

}  // namespace lockstep
