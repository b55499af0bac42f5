#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/hparams.h"
#include "base/table.h"
#include "collective/make_communicator.h"
#include "data/sequences/tokenizer.h"
#include "model/model.h"
#include "optim/optimizer.h"
#include "tensor/device_kind.h"
#include "train/registry/plugin.h"
#include "train/registry/problem_kind.h"
#include "train/strategy/strategy_kind.h"

namespace lockstep {

// Everything that is found by name. Built by builtin_registry(), extended by a user's library, then read-only.
struct Registry {
  Table<ProblemKind> problems{"problem"};
  Table<TokenizerKind> tokenizers{"tokenizer"};
  Table<ModelFactory> models{"model"};
  Table<std::function<HParams()>> hparams_sets{
      "hparams set"};  // changes and additions of each: train/registry/hparams_sets.h
  Table<OptimizerKind> optimizers{"optimizer"};
  Table<StrategyKind> strategies{"strategy"};
  Table<CommunicatorFactory> communicators{"communicator"};
  Table<DeviceKind> devices{"device"};
};

// The built-in entries: one plain list (train/registry/builtin_registry.cc).
Registry builtin_registry();

// The model of a run on that problem if the user names none. Throws what check_problem_name() throws.
std::string default_model(const Registry& registry, std::string_view problem);

// All names with their line of help, for --registry_help.
std::string describe(const Registry& registry);

}  // namespace lockstep
