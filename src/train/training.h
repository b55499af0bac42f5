#pragma once

#include <atomic>

#include "base/hparams.h"
#include "base/log.h"
#include "base/trace.h"
#include "collective/communicator.h"
#include "tensor/backend.h"
#include "train/registry.h"
#include "train/report.h"
#include "train/settings.h"

namespace lockstep {

// The hparams of a run: the set that the settings name, with their overrides. Throws Error(usage) also for a model or
// problem that does not exist: what the command line says is checked before anything is started.
HParams resolve_hparams(const TrainSettings& settings, const Registry& registry);

// Where a rank trains. Everything is the caller's.
struct TrainingRank {
  Communicator& world;
  Backend& backend;
  Trace& trace;
  Log& log;
  const std::atomic<bool>* stop_requested = nullptr;
};

// A whole run on one rank: makes problem, model, optimizer and strategy, trains, evaluates, reports.
// COLLECTIVE: every rank, with the same settings. Throws Error.
TrainOutcome run_training(const TrainSettings& settings, const HParams& hparams, const Registry& registry,
                          const TrainingRank& rank);

}  // namespace lockstep
