#pragma once

#include "base/hparams.h"
#include "train/registry.h"
#include "train/report.h"
#include "train/settings.h"
#include "train/training_rank.h"

namespace lockstep {

// The hparams of a run: the set that the settings name, with their overrides. Throws Error(usage) also for a model or
// problem that does not exist: what the command line says is checked before anything is started.
HParams resolve_hparams(const TrainSettings& settings, const Registry& registry);

// A whole run on one rank: takes the output_dir, makes problem, model, optimizer and strategy, goes on from the newest
// checkpoint if there is one, trains, evaluates, saves, reports.
// COLLECTIVE: every rank, with the same settings. Throws Error.
TrainOutcome run_training(const TrainSettings& settings, const HParams& hparams, const Registry& registry,
                          const TrainingRank& rank);

}  // namespace lockstep
