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

// The hparams of a run: the set that the settings name, with their overrides. Throws Error(usage).
HParams resolve_hparams(const TrainSettings& settings, const Registry& registry);

// Where a rank trains. Everything is the caller's.
struct TrainingRank {
  Communicator& world;
  Backend& backend;
  Trace& trace;
  Log& log;
  const std::atomic<bool>* stop_requested = nullptr;
};

// A whole run on one rank: makes problem, model, optimizer and strategy from the settings, trains, evaluates, reports.
// COLLECTIVE: every rank, with the same settings. Throws Error.
TrainOutcome run_training(const TrainSettings& settings, const Registry& registry, const TrainingRank& rank);

}  // namespace lockstep
