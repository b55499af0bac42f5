#pragma once

#include "base/hparams.h"
#include "base/json.h"
#include "train/config/settings.h"
#include "train/config/training_rank.h"
#include "train/resume.h"
#include "train/run_setup.h"

namespace lockstep {

// Logs the lines at the start of a run: data, model, batch, strategy, and requests that cannot be met.
void describe_run(const RunSetup& run, const Strategy& strategy, const TrainingRank& rank);

// Facts about the start for programs, as members of the start line of metrics.jsonl: version, time, number of ranks,
// steps, hparams.
Json::Object start_facts(const RunSetup& run, const TrainingRank& rank);

// Logs the step and the file that a resumed run starts from, and what another number of ranks changes. The second
// function logs how often the run saves, and what a save takes.
void describe_resumption(const RunSetup& run, const Resumption& from, const TrainingRank& rank);
void describe_saving(const TrainSettings& settings, const TrainingState& state, Log& log);

// The text of --print_schedule: the learning rate of a run on that many ranks. Reads the data, as the number of samples
// decides the number of steps.
std::string describe_schedule(const TrainSettings& settings, const Registry& registry, int ranks);

}  // namespace lockstep
