// Ranks that read data by themselves evaluate and predict the same samples, or none.
#include <doctest/doctest.h>

#include <algorithm>
#include <utility>

#include "data/forwarding_problem.h"
#include "support/check_error.h"
#include "support/temporary_folder.h"
#include "train/saved/saved_model.h"
#include "train/train_rank.h"

namespace lockstep {
namespace {

// image_shapes as on hosts with different files: --data_dir names what is missing.
class OtherShapes final : public ForwardingProblem {
 public:
  OtherShapes(std::unique_ptr<Problem> shapes, std::string missing)
      : ForwardingProblem(std::move(shapes)), missing_(std::move(missing)) {}
  std::int64_t count(Split split) const override {
    if (split == Split::dev && missing_ == "dev") return 0;
    return inner().count(split) - (missing_ == "a sample" ? 1 : 0);
  }
  void read(Split split, std::int64_t sample, const SampleSlot& slot) const override {
    inner().read(split, missing_ == "the first" ? std::max<std::int64_t>(sample, 1) : sample, slot);
  }

 private:
  std::string missing_;
};

Registry registry_of_hosts() {
  Registry registry = builtin_registry();
  registry.problems.add("shapes", "by host", [](ProblemOptions options) {
    const std::string missing = std::exchange(options.data_dir, "");
    return std::make_unique<OtherShapes>(builtin_registry().problems.find("image_shapes")(options), missing);
  });
  return registry;
}

}  // namespace

TEST_CASE("ranks that would not read the same samples of a split are told so") {
  const Registry registry = registry_of_hosts();
  const TemporaryFolder folder;
  TrainSettings settings = small_settings();
  settings.problem = "shapes";
  settings.output_dir = folder.path();
  train_alone(settings, registry);

  const auto open_with = [&](const std::string& missing_on_last, const std::string& split) {
    for_thread_ranks(3, [&](RankContext& rank) {
      TrainSettings asked;
      asked.output_dir = folder.path();
      asked.eval_split = split;
      asked.data_dir = rank.communicator.rank() == 2 ? missing_on_last : "nothing";
      as_training_rank(rank, [&](const TrainingRank& training) {
        const SavedModel saved(asked, registry, training, open_saved(asked, training));
        open_eval_split(saved);
      });
    });
  };
  open_with("nothing", "");
  check_error(ExitCode::configuration, {"number of test samples is '4000' on rank 0 (", ") and '3999' on rank 2 ("},
              [&] { open_with("a sample", "test"); });
  check_error(ExitCode::configuration, {"the checksum of the dev samples is '", "on rank 2"},
              [&] { open_with("the first", "dev"); });
  // That rank would take its test split instead.
  check_error(ExitCode::configuration,
              {"number of dev samples is '2000' on rank 0 (", ") and '(not there)' on rank 2 ("},
              [&] { open_with("dev", ""); });
}

}  // namespace lockstep
