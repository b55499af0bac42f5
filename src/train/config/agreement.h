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

// Each rank's text, in the order of ranks. COLLECTIVE.
std::vector<std::string> texts_of_ranks(Communicator& ranks, const std::string& mine);

// A value that all ranks must have alike, as text: "training samples", "60000".
struct AgreedItem {
  std::string name;
  std::string value;
};

// Compares the items over all ranks: first a digest of them, and the items only if the digests differ. COLLECTIVE.
// Throws Error(configuration) of every rank that names the first item that differs, two ranks with their hosts, and
// both values.
void check_agreement(Communicator& world, std::span<const AgreedItem> items);

// The items given to the ranks: the version, the user's library, every setting whose scope is the job, the hparams.
// Ranks that differ in one of them would hang or train nonsense.
std::vector<AgreedItem> job_items(const TrainSettings& settings, const HParams& hparams);
// The items that the ranks found: the data, how they are cut, the number of steps, and how gradients are summed. Throws
// as data_checksum() does.
std::vector<AgreedItem> data_items(const RunPlan& plan, const Problem& problem, const TrainingData& data,
                                   const std::string& summation);
// The variables of the model that the ranks made.
std::vector<AgreedItem> model_items(const std::string& model, const ParameterTable& table);

}  // namespace lockstep
