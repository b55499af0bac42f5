#pragma once

#include "train/config/settings.h"
#include "train/config/training_rank.h"
#include "train/registry.h"
#include "train/schedule/schedule_end.h"

namespace lockstep {

// What every rank can find wrong alone, before there is a job to abort. Throws Error of every rank.
void check_schedule(const TrainSettings& settings, const Registry& registry);

// Does what --schedule says: trains, or uses a saved checkpoint. COLLECTIVE: every rank, with the same settings. Throws
// Error.
ScheduleEnd run_schedule(const TrainSettings& settings, const Registry& registry, const TrainingRank& rank);

}  // namespace lockstep
