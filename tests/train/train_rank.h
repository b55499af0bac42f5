#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "support/ranks.h"
#include "support/temporary_folder.h"
#include "train/registry/hparams_sets.h"
#include "train/run.h"

namespace lockstep {

// Results of a test's run on one rank.
struct TestRun {
  TrainOutcome outcome;
  std::vector<double> losses;  // of every step; only on the chief
};

// A temporary folder of rank 0, whose path every rank knows; removed with rank 0's object. COLLECTIVE: the constructor.
class SharedFolder {
 public:
  explicit SharedFolder(Communicator& world);
  const std::string& path() const { return path_; }
  bool has(const std::string& file) const;

 private:
  std::optional<TemporaryFolder> folder_{};
  std::string path_{};
};

// Small settings that every world can train with: 20 steps of SGD on 40 images a step, nothing written.
TrainSettings small_settings();

// The built-in registry with a problem no_dev: image_shapes without its dev split.
Registry registry_without_dev();

// Calls body with a rank that trains or uses a saved model, on the CPU, with a quiet log.
void as_training_rank(const RankContext& rank, const std::function<void(const TrainingRank&)>& body);

// Trains one rank of a world, COLLECTIVE. Losses are read back from the metrics file; without an output_dir in settings
// a temporary one is used. has_shares: this rank's, see TrainingRank.
TestRun train_rank(const RankContext& rank, TrainSettings settings, const Registry& registry = builtin_registry(),
                   const std::atomic<bool>* stop_requested = nullptr, bool has_shares = true);

// The same on another backend.
TestRun train_rank_on(Backend& backend, const RankContext& rank, TrainSettings settings,
                      const Registry& registry = builtin_registry(), const std::atomic<bool>* stop_requested = nullptr,
                      bool has_shares = true);

// The same settings in a world of one, on this thread.
TestRun train_alone(const TrainSettings& settings, const Registry& registry = builtin_registry());

}  // namespace lockstep
