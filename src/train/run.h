#pragma once

#include <functional>

#include "base/hparams.h"
#include "train/config/settings.h"
#include "train/config/training_rank.h"
#include "train/registry/registry.h"
#include "train/report.h"

namespace lockstep {

struct RunSetup;
struct ServerAccess;

// Joins a run that is set up to the parameter servers of the job, and returns the way to them, which outlives the run.
using JoinServers = std::function<const ServerAccess*(const RunSetup&)>;

// A whole run on one rank: takes the output_dir, makes problem, model, optimizer and strategy, resumes from the newest
// checkpoint if there is one, trains, evaluates, saves, reports.
// COLLECTIVE: every rank, with the same settings. Throws Error.
TrainOutcome run_training(const TrainSettings& settings, const HParams& hparams, const Registry& registry,
                          const TrainingRank& rank, const JoinServers& join_servers = {});

}  // namespace lockstep
