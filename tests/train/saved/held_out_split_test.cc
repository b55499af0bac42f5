// --schedule=evaluate uses the samples that a run held out as its dev split.
#include <doctest/doctest.h>

#include <string>

#include "support/check_error.h"
#include "support/temporary_folder.h"
#include "train/schedule/evaluate/evaluate.h"
#include "train/train_rank.h"

namespace lockstep {
TEST_CASE("the held out share of a checkpoint's run is evaluated as its run did, and no other share") {
  const Registry registry = registry_without_dev();
  const TemporaryFolder folder;
  TrainSettings settings = small_settings();
  settings.problem = "no_dev";
  settings.holdout = 0.1;
  settings.seed = 7;
  settings.output_dir = folder.path();
  const TestRun run = train_alone(settings, registry);
  REQUIRE(run.outcome.evaluation.samples == 2000);

  for_thread_ranks(3, [&](RankContext& rank) {
    as_training_rank(rank, [&](const TrainingRank& training) {
      const auto evaluate = [&](const TrainSettings& asked) {
        SavedModel saved(asked, registry, training, open_saved(asked, training));
        const OpenedSplit on = open_eval_split(saved);
        const bool held_out = describe(saved, on).find("held out by --holdout=0.1") != std::string::npos;
        CHECK(held_out == (on.split == Split::dev));
        return evaluate_saved(saved, on, training);
      };
      TrainSettings asked;
      asked.output_dir = folder.path();
      const EvaluationResult held_out = evaluate(asked);
      CHECK(held_out.samples == 2000);
      CHECK(held_out["loss"].mean == run.outcome.evaluation["loss"].mean);
      asked.eval_split = "train";
      CHECK(evaluate(asked).samples == 18000);
      asked.eval_split.clear();
      asked.eval_use_test_set = true;
      CHECK(evaluate(asked).samples == 4000);
      asked.given = {"random_seed"};
      asked.seed = 8;
      check_error(ExitCode::configuration, {"is of a run whose --random_seed=7", "not 8"}, [&] { evaluate(asked); });
      asked.given = {"holdout"};
      asked.holdout = 0.2;
      check_error(ExitCode::configuration, {"is of a run with --holdout=0.1, not with --holdout=0.2"},
                  [&] { evaluate(asked); });
      const Registry builtin = builtin_registry();
      asked.given = {};
      check_error(ExitCode::configuration, {"is a checkpoint of problem 'no_dev'", "give the --usr_lib of its run"},
                  [&] { SavedModel(asked, builtin, training, open_saved(asked, training)); });
    });
  });
}

}  // namespace lockstep
