#include "train/config/pace.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "train/config/counted_problem.h"
#include "train/hparams_sets.h"
#include "train/workload.h"

namespace lockstep {
namespace {

// Of a run that goes on after step 7, with 210 samples of an epoch consumed.
Pace pace(const TrainSettings& settings, int ranks) {
  const HParams hparams = resolve_hparams(settings, builtin_registry());
  const std::vector<bool> owners(static_cast<std::size_t>(ranks), true);
  const RunPlan plan =
      plan_run(settings, hparams, CountedProblem(), 0, owners, {.step = 7, .epoch = 0, .consumed = 210});
  return pace_of(plan, make_schedule(hparams, plan));
}

TrainSettings two_epochs() {
  TrainSettings settings;
  settings.train_epochs = 2;
  settings.hparams = "batch_size=10,learning_rate=0.5,learning_rate_schedule=constant";
  return settings;
}

}  // namespace

TEST_CASE("another number of ranks is another batch: fewer steps per epoch, and fewer to come") {
  // Epochs have 1003 samples: 34 steps of 30, 51 of 20; 793 samples are left of the first.
  CHECK(describe_changes(pace(two_epochs(), 3), pace(two_epochs(), 2)) ==
        "global batch 30 -> 20, steps per epoch 34 -> 51, steps in all 68 -> 98");
}

TEST_CASE("a given global batch keeps all of it") {
  TrainSettings settings = two_epochs();
  settings.global_batch_size = 24;
  CHECK(describe_changes(pace(settings, 3), pace(settings, 2)).empty());
}

TEST_CASE("a schedule that ends at the last step gives the next one another learning rate") {
  const Pace before{
      .next_step = 10001, .global_batch = 384, .steps_per_epoch = 21, .train_steps = 31500, .learning_rate = 0.000771};
  Pace now = before;
  now.train_steps = 42762;
  now.learning_rate = 0.000818;
  CHECK(describe_changes(before, now) ==
        "steps in all 31500 -> 42762, learning rate of step 10001 0.000771 -> 0.000818");
  CHECK(describe_changes(before, before).empty());
}

TEST_CASE("a frequency of evaluations below the least is said to be raised, others are not spoken of") {
  TrainSettings settings;
  CHECK(describe_raised_frequency(settings).empty());  // the default
  for (const std::int64_t every : {1, 40, 99}) {
    settings.eval_frequency = every;
    CHECK(eval_frequency(settings) == 100);
    CHECK(describe_raised_frequency(settings) ==
          "--local_eval_frequency=" + std::to_string(every) + " counts as 100, the least there is");
  }
  for (const std::int64_t every : {0, 100, 101, 5000}) {  // 0: at the end only
    settings.eval_frequency = every;
    CHECK(eval_frequency(settings) == every);
    CHECK(describe_raised_frequency(settings).empty());
  }
}

}  // namespace lockstep
