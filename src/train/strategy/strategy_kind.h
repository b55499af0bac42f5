#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/hparams.h"
#include "base/table.h"
#include "base/trace.h"
#include "collective/communicator.h"
#include "train/config/run_plan.h"
#include "train/config/settings.h"
#include "train/strategy/replica.h"
#include "train/strategy/strategy.h"

namespace lockstep {

// What a strategy is made of. Everything is the caller's and outlives the strategy.
struct StrategyParts {
  const TrainSettings& settings;  // what the checkpoint decides is filled in
  const HParams& hparams;
  const RunPlan& plan;
  Communicator& communicator;  // of the ranks that train
  Trace& trace;
  Replica& replica;
};

// Where another program's strategy can be used at all: there its name means the same as ours.
enum class StrategyReach { any, one_host, one_rank };

// A name by which --strategy takes a strategy too, that of tf.distribute: "MirroredStrategy". Capitals, underscores and
// the word "strategy" at its end do not matter.
struct StrategyAlias {
  std::string_view name;
  StrategyReach reach = StrategyReach::any;
};

// An entry of the table of strategies: how a strategy is made, and what it means for the rest of a run. Nothing else
// knows strategies by name. A strategy of a user's library has hparams for what it needs to know.
struct StrategyKind {
  std::function<std::unique_ptr<Strategy>(const StrategyParts&)> make;
  // Settings that only this strategy and others that list them have.
  std::vector<std::string_view> settings{};
  // Why --exact cannot be kept; "" = it can.
  std::string exact_refusal{};
  // The samples that contribute to an update of a replica, by which learning rates are scaled.
  UpdateBatch update_batch = UpdateBatch::global;
  // Steps from one moment at which all replicas are equal to the next. Null: every step is one. By it a run that
  // resumes knows whether an evaluation was due that an interruption has lost.
  std::function<std::int64_t(const TrainSettings&, const HParams&)> meeting_interval{};
  // Whether replicas exchange their values, too: then those lie in the communicator's memory like the gradients. Null:
  // they do not, and lie where the backend has the fastest.
  std::function<bool(const TrainSettings&)> exchanges_values{};
  HParams hparams{};  // those it reads, with their defaults: every hparams set has them
  std::vector<StrategyAlias> aliases{};
};

// Steps between two meetings of a run's strategy, 1 where all replicas are equal after each step.
inline std::int64_t meeting_interval(const StrategyKind& kind, const TrainSettings& settings, const HParams& hparams) {
  return kind.meeting_interval ? kind.meeting_interval(settings, hparams) : 1;
}

// Whether values lie in the communicator's memory.
inline bool exchanges_values(const StrategyKind& kind, const TrainSettings& settings) {
  return kind.exchanges_values && kind.exchanges_values(settings);
}

}  // namespace lockstep
