#include "train/config/run_plan.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "support/given_problem.h"
#include "train/registry/hparams_sets.h"

namespace lockstep {
namespace {

RunPlan plan(const TrainSettings& settings, int rank, const std::vector<bool>& owners) {
  return plan_run(settings, resolve_hparams(settings, builtin_registry()), GivenProblem({.train = 1003}), rank, owners);
}

RunPlan plan(const TrainSettings& settings, int rank, int ranks) {
  return plan(settings, rank, std::vector<bool>(static_cast<std::size_t>(ranks), true));
}

TrainSettings with_hparams(const std::string& hparams) {
  TrainSettings settings;
  settings.hparams = hparams;
  return settings;
}

}  // namespace

TEST_CASE("the batch grows with ranks and accumulated passes, and a rank's shares are neighbours") {
  const RunPlan run = plan(with_hparams("batch_size=10,optimizer_multistep_accumulate_steps=4"), 2, 3);
  CHECK(run.batches->global_batch() == 120);
  CHECK(run.batches->shares() == 12);
  CHECK(run.accumulated == 4);
  CHECK(run.first_share == 8);
  CHECK(run.batches->steps_per_epoch() == 9);
}

TEST_CASE("a rank that owns no shares counts for nothing in how a step is cut") {
  const std::vector<bool> owners{false, true, false, true, true};
  const std::vector<int> owner_of{-1, 0, -1, 1, 2};
  TrainSettings exact = with_hparams("batch_size=10");
  exact.exact = true;
  for (const TrainSettings& settings : {with_hparams("batch_size=10,optimizer_multistep_accumulate_steps=2"), exact}) {
    for (int rank = 0; rank < 5; ++rank) {
      const RunPlan run = plan(settings, rank, owners);
      CHECK(run.owner_ranks() == std::vector<int>{1, 3, 4});
      const int owner = owner_of[static_cast<std::size_t>(rank)];
      const RunPlan alone = plan(settings, std::max(owner, 0), 3);
      CHECK(run.batches->global_batch() == alone.batches->global_batch());
      CHECK(run.batches->shares() == alone.batches->shares());
      CHECK(run.own_shares == (owner < 0 ? 0 : alone.own_shares));
      if (owner >= 0) CHECK(run.first_share == alone.first_share);
    }
  }
}

TEST_CASE("--global_batch_size is the batch of an update, however it is cut") {
  TrainSettings settings = with_hparams("optimizer_multistep_accumulate_steps=5");
  settings.global_batch_size = 64;
  for (const int ranks : {1, 2, 3}) CHECK(plan(settings, 0, ranks).batches->global_batch() == 64);
  settings.global_batch_size = 5000;
  CHECK(plan(settings, 0, 2).batches->global_batch() == 1003);
}

TEST_CASE("a batch larger than the data takes all of them") {
  for (const int ranks : {1, 2, 3}) {
    CHECK(plan(with_hparams("batch_size=1100"), 0, ranks).batches->global_batch() == 1003);
  }
}

TEST_CASE("--exact: accumulation multiplies the micro-shards, whatever the ranks") {
  TrainSettings settings = with_hparams("optimizer_multistep_accumulate_steps=2");
  settings.global_batch_size = 100;
  settings.exact = true;
  int next = 0;
  for (int rank = 0; rank < 5; ++rank) {
    const RunPlan run = plan(settings, rank, 5);
    CHECK(run.micro_shards == 16);
    CHECK(run.first_share >= next);
    next = run.first_share + 1;
  }
  CHECK_THROWS_WITH_AS(plan(settings, 0, 9), doctest::Contains("at least 9 micro-shards, not 8"), Error);
}

TEST_CASE("steps: as given, or epochs of the plan's steps, whichever ends first; else the hparams'") {
  TrainSettings settings = with_hparams("batch_size=100,train_steps=77");
  CHECK(plan(settings, 0, 2).train_steps == 77);
  settings.train_epochs = 3;
  CHECK(plan(settings, 0, 2).train_steps == 3 * 6);
  CHECK(plan(settings, 0, 2).epochs() == 3);
  settings.train_steps = 5;
  CHECK(plan(settings, 0, 2).train_steps == 5);
  settings.train_steps = 18;
  CHECK(plan(settings, 0, 2).train_steps == 18);
  settings.train_steps = 19;
  CHECK(plan(settings, 0, 2).train_steps == 18);
  settings.train_epochs.reset();
  CHECK(plan(settings, 0, 2).train_steps == 19);
}

TEST_CASE("with sums of gradients a step takes several batches, and ranks read those of single gradients") {
  TrainSettings settings = with_hparams("batch_size=100,train_steps=77");
  const RunPlan single = plan(settings, 0, 1);
  CHECK(single.gradients == single.batches);
  CHECK(single.sum_updates == 1);
  settings.sum_updates = 4;
  const RunPlan run = plan(settings, 0, 1);
  CHECK(run.sum_updates == 4);
  CHECK(run.batches->global_batch() == 400);
  CHECK(run.update_batch == 400);
  CHECK(run.gradients->global_batch() == 100);
  CHECK(run.train_steps == 77);
  settings.train_epochs = 3;  // of 11 batches each
  CHECK(plan(settings, 0, 1).train_steps == 9);
  CHECK(plan(settings, 0, 1).batches->steps_per_epoch() == 3);
}

TEST_CASE("what cannot work is refused by name") {
  CHECK_THROWS_WITH_AS(plan(with_hparams("batch_size=0"), 0, 1), doctest::Contains("batch_size is 0"), Error);
  CHECK_THROWS_WITH_AS(plan(with_hparams("train_steps=-3"), 0, 1), doctest::Contains("train_steps is -3"), Error);
  TrainSettings decided_by_flags = with_hparams("train_steps=-1");
  decided_by_flags.train_steps = 3;
  CHECK_THROWS_WITH_AS(plan(decided_by_flags, 0, 1), doctest::Contains("train_steps is -1"), Error);
  decided_by_flags = with_hparams("batch_size=-1");
  decided_by_flags.global_batch_size = 64;
  CHECK_THROWS_WITH_AS(plan(decided_by_flags, 0, 1), doctest::Contains("batch_size is -1"), Error);
  CHECK_THROWS_WITH_AS(plan(with_hparams("optimizer_multistep_accumulate_steps=0"), 0, 1),
                       doctest::Contains("optimizer_multistep_accumulate_steps is 0"), Error);
  CHECK_THROWS_WITH_AS(plan(with_hparams("optimizer_multistep_accumulate_steps=3000"), 0, 2),
                       doctest::Contains("6000 parts"), Error);
  CHECK_THROWS_WITH_AS(plan({}, 0, 1004), doctest::Contains("only 1003 training samples"), Error);
}

}  // namespace lockstep
