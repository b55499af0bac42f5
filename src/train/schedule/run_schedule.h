#pragma once

#include "base/hparams.h"
#include "train/config/settings.h"
#include "train/config/training_rank.h"
#include "train/registry/registry.h"
#include "train/schedule/schedule_end.h"

namespace lockstep {

// Checks what every rank can check alone, before there is a job to abort. Returns the hparams of a run that trains;
// none for a schedule that takes them from a checkpoint. Throws Error of every rank.
HParams check_schedule(const TrainSettings& settings, const Registry& registry);

// Does what --schedule says: trains, or uses a saved checkpoint. hparams: the result of check_schedule(). COLLECTIVE:
// every rank, with the same settings. Throws Error.
ScheduleEnd run_schedule(const TrainSettings& settings, const HParams& hparams, const Registry& registry,
                         const TrainingRank& rank);

}  // namespace lockstep
