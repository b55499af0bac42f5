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

class AveragedWeights;  // train/strategy/averaged_weights.h
struct ServerAccess;    // train/strategy/parameter_server.h

// The parts of a strategy. All are the caller's and outlive the strategy.
struct StrategyParts {
  const TrainSettings& settings;  // the settings, with what the checkpoint decides
  const HParams& hparams;
  const RunPlan& plan;
  Communicator& communicator;  // joins the ranks that train
  Trace& trace;
  Replica& replica;
  const ServerAccess* servers = nullptr;  // null in a job without parameter servers
  AveragedWeights* average = nullptr;     // that of --ema on a rank that evaluates it; null: none
};

// The reach of another program's strategy, within which its name means the same as ours.
enum class StrategyReach { any, one_host, one_rank };

// Another name of a strategy for --strategy, that of tf.distribute: "MirroredStrategy". Capitals, underscores and the
// word "strategy" at its end do not matter.
struct StrategyAlias {
  std::string_view name;
  StrategyReach reach = StrategyReach::any;
};

// The place of the values of a run's replicas.
enum class ValuesPlace {
  own,         // each replica's in the fastest memory of its backend
  in_reach,    // each replica's in the communicator's memory like the gradients, because replicas exchange them, too
  one_for_all  // one copy of all replicas, in the communicator's common memory
};

// A setting that cannot be combined with a strategy, or with a value of a setting of the strategy's own.
struct RefusedSetting {
  std::string_view name;
  std::string why;                // reason: "what ranks learn alone depends on how many there are"
  std::string_view with{};        // that other setting; "" = the strategy itself
  std::string_view with_value{};  // its value
  std::string_view value{};       // the value that is refused; "" = any but the default
};

// An entry of the table of strategies: how a strategy is made, and what it means for the rest of a run. Few places know
// one by its name (docs/design.md). A strategy of a user's library has hparams for its own settings.
struct StrategyKind {
  std::function<std::unique_ptr<Strategy>(const StrategyParts&)> make;
  // Settings that only this strategy and others that list them have.
  std::vector<std::string_view> settings{};
  std::vector<RefusedSetting> refused{};
  // The samples that contribute to an update of a replica, by which learning rates are scaled.
  UpdateBatch update_batch = UpdateBatch::global;
  // Steps from one moment at which all replicas are equal to the next. Null: every step is one. A resumed run uses it
  // to find out whether an interruption has lost an evaluation that was due.
  std::function<std::int64_t(const TrainSettings&, const HParams&)> meeting_interval{};
  // Null: ValuesPlace::own.
  std::function<ValuesPlace(const TrainSettings&)> values_place{};
  // Another strategy that gives the same results, to the last bit: checkpoints record its name, so that either resumes
  // the other's.
  std::string_view results_of{};
  HParams hparams{};  // hparams that it reads, with their defaults: every hparams set has them
  std::vector<StrategyAlias> aliases{};
};

// Steps between two meetings of a run's strategy, 1 if all replicas are equal after each step.
inline std::int64_t meeting_interval(const StrategyKind& kind, const TrainSettings& settings, const HParams& hparams) {
  return kind.meeting_interval ? kind.meeting_interval(settings, hparams) : 1;
}

inline ValuesPlace values_place(const StrategyKind& kind, const TrainSettings& settings) {
  return kind.values_place ? kind.values_place(settings) : ValuesPlace::own;
}

}  // namespace lockstep
