#include "train/strategy/central_storage.h"

#include <vector>

#include "train/strategy/sync.h"

namespace lockstep {

StrategyKind central_storage_strategy() {
  StrategyKind kind = sync_strategy();
  std::erase(kind.settings, "shard_optimizer");  // always on
  kind.refused = {{"histogram_every", "no rank has all of the gradients then"}};
  kind.values_place = [](const TrainSettings&) { return ValuesPlace::one_for_all; };
  kind.results_of = "sync";
  kind.aliases = {{"CentralStorageStrategy"}};
  return kind;
}

}  // namespace lockstep
