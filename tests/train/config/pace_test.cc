#include "train/config/pace.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/given_problem.h"
#include "train/registry/hparams_sets.h"
#include "train/workload/workload.h"

namespace lockstep {
namespace {

// Pace of a run that continues after step 7, with 210 samples of an epoch consumed.
Pace pace(const TrainSettings& settings, int ranks) {
  const HParams hparams = resolve_hparams(settings, builtin_registry());
  const std::vector<bool> owners(static_cast<std::size_t>(ranks), true);
  const RunPlan plan =
      plan_run(settings, hparams, GivenProblem({.train = 1003}), 0, owners, {.step = 7, .epoch = 0, .consumed = 210});
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
  // An epoch has 1003 samples: 34 steps of 30, 51 of 20; 793 samples are left of the first.
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
    CHECK(eval_interval(settings, 5000) == 100);
    CHECK(describe_raised_frequency(settings) ==
          "--local_eval_frequency=" + std::to_string(every) + " counts as 100, the least there is");
  }
  for (const std::int64_t every : {0, 100, 101, 5000}) {  // 0: at the end only
    settings.eval_frequency = every;
    CHECK(eval_interval(settings, 5000) == every);
    CHECK(describe_raised_frequency(settings).empty());
  }
}

TEST_CASE("a run is evaluated about ten times, at whole hundreds, a long one every 1000 steps") {
  const TrainSettings settings;
  for (const std::int64_t steps : {1, 100, 999, 1000, 1499}) CHECK(eval_interval(settings, steps) == 100);
  CHECK(eval_interval(settings, 1500) == 200);
  CHECK(eval_interval(settings, 2350) == 200);
  CHECK(eval_interval(settings, 4687) == 500);
  for (const std::int64_t steps : {9500, 10000, 250000}) CHECK(eval_interval(settings, steps) == 1000);
  for (std::int64_t steps = 1000; steps < 10000; ++steps) {
    const std::int64_t evaluations = (steps + eval_interval(settings, steps) - 1) / eval_interval(settings, steps);
    CHECK((evaluations >= 7 && evaluations <= 15));
  }
}

TEST_CASE("a run keeps the interval of its first start, unless it is given another one") {
  TrainSettings settings;
  CHECK(eval_interval(settings, 250000, 200) == 200);
  CHECK(eval_interval(settings, 1000, 0) == 0);
  settings.eval_frequency = 500;
  CHECK(eval_interval(settings, 250000, 200) == 500);
}

TEST_CASE("saves come by steps and by time, unless one of the two is given") {
  using namespace std::chrono_literals;
  TrainSettings settings;
  settings.eval_frequency = 100;  // does not affect saves
  CHECK(save_pace(settings).steps == 1000);
  CHECK(save_pace(settings).time == 10min);
  settings.save_time = 90s;
  CHECK(save_pace(settings).steps == 0);
  CHECK(save_pace(settings).time == 90s);
  settings.save_time.reset();
  settings.save_steps = 7;
  CHECK(save_pace(settings).steps == 7);
  CHECK(!save_pace(settings).time);
}

}  // namespace lockstep
