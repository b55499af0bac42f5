#pragma once

#include <vector>

#include "base/hparams.h"
#include "collective/messages.h"
#include "ps/group.h"
#include "ps/patience.h"
#include "train/config/agreement.h"
#include "train/config/settings.h"
#include "train/config/training_rank.h"
#include "train/registry/registry.h"
#include "train/served/served_plan.h"
#include "train/workload/workload.h"

namespace lockstep {

// What a rank that trains has found of data and model, for ServedPlan::found.
std::vector<AgreedItem> found_items(const TrainSettings& settings, const Workload& workload);

// The part of a rank that trains, but is not the chief, in a run with parameter servers: makes the steps that the
// servers hand out to it, until there are no more. It writes nothing. messages: those of the job.
void train_as_worker(const TrainSettings& settings, const HParams& hparams, const Registry& registry,
                     const TrainingRank& rank, const ServedPlan& plan, const PsGroup& group, Messages& messages,
                     const PsPatience& patience);

}  // namespace lockstep
