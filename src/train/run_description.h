#pragma once

#include "base/hparams.h"
#include "base/json.h"
#include "train/config/settings.h"
#include "train/config/training_rank.h"
#include "train/resume.h"
#include "train/run_setup.h"

namespace lockstep {

// The lines at the start of a run: data, model, batch, strategy, and what was asked for that cannot be given.
void describe_run(const RunSetup& run, const Strategy& strategy, const TrainingRank& rank);

// The same for programs, the start line of metrics.jsonl: version, when, on how many ranks, in which steps, from which
// hparams. ranks: of the compute group.
Json::Object start_facts(const RunSetup& run, int ranks);

// Where a resumed run starts, from what, and what another number of ranks changes; how often it saves, and what that
// takes.
void describe_resumption(const RunSetup& run, const Resumption& from, const TrainingRank& rank);
void describe_saving(const TrainSettings& settings, const TrainingState& state, Log& log);

// What --print_schedule prints: the learning rate of a run on that many ranks. Reads the data, to know how many there
// are.
std::string describe_schedule(const TrainSettings& settings, const Registry& registry, int ranks);

}  // namespace lockstep
