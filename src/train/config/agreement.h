#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/hparams.h"
#include "collective/communicator.h"
#include "data/problem.h"
#include "tensor/parameter_table.h"
#include "train/config/result_config.h"
#include "train/config/run_plan.h"
#include "train/config/train_setting.h"

namespace lockstep {

// One thing that all ranks must have alike, as text: "training samples", "60000".
struct AgreedItem {
  std::string name;
  std::string value;
};

// Compares the items over all ranks: a digest of all of them first, and only where that differs the items. COLLECTIVE.
// Throws Error(configuration) of every rank that names the first item that differs, two ranks with their
// hosts, and both values.
void check_agreement(Communicator& world, std::span<const AgreedItem> items);

// What the ranks were asked for: the version, the user's library, every setting whose scope is the job, the hparams.
// Ranks that differ in one of them would hang or train nonsense.
std::vector<AgreedItem> job_items(const TrainSettings& settings, const HParams& hparams);
// What they found: the data, how they are cut, and how gradients are summed.
std::vector<AgreedItem> data_items(const RunPlan& plan, const Problem& problem, const TrainingData& data,
                                   const std::string& summation);
// The variables of the model they made.
std::vector<AgreedItem> model_items(const std::string& model, const ParameterTable& table);

}  // namespace lockstep
