#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/hparams.h"
#include "collective/communicator.h"
#include "data/problem.h"
#include "tensor/parameter_table.h"
#include "train/run_plan.h"
#include "train/settings.h"

namespace lockstep {

// One thing that all ranks must have alike, as text: "training samples", "60000".
struct AgreedItem {
  std::string name;
  std::string value;
};

// Compares the items over all ranks. COLLECTIVE; every rank gives the same names in the same order. Throws
// Error(configuration) of every rank that names the first item that differs, a rank, and both values.
void check_agreement(Communicator& world, std::span<const AgreedItem> items);

// What decides the collectives and the plan of a run: ranks that differ in one of it would hang or train nonsense.
std::vector<AgreedItem> items_of(const TrainSettings& settings, const HParams& hparams, const RunPlan& plan,
                                 const Problem& problem);
std::vector<AgreedItem> items_of(const std::string& model, const ParameterTable& table);

}  // namespace lockstep
