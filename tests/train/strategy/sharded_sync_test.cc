#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/state.h"
#include "collective/communication_thread.h"
#include "optim/optimizers.h"
#include "support/check_error.h"
#include "support/ranks.h"
#include "support/shm_ranks.h"
#include "tensor/cpu/cpu_backend.h"
#include "train/strategy/gradient_norm.h"
#include "train/strategy/sync.h"

// --shard_optimizer: the same bits as without, with a part of the state per rank; and with one copy of the values for
// all ranks.
namespace lockstep {
namespace {

using MakeOptimizer = std::unique_ptr<Optimizer> (*)(const HParams&);

// Large enough that each of 8 ranks owns something, with gaps that are not trained.
ParameterTable layers() {
  ParameterTable table;
  table.add_constant("mean", {7});
  table.add("a/kernel", {101, 103}, true);
  table.add("a/bias", {103}, false);
  table.add("b/kernel", {103, 211}, true);
  table.add("b/bias", {211}, false);
  table.add_constant("scale", {3});
  table.add("c/kernel", {211, 5}, true);
  table.add("c/bias", {5}, false);
  return table;
}

HParams hparams() {
  return adam_hparams()
      .set(adafactor_hparams())
      .set("weight_decay", 0.01)
      .set("optimizer_momentum_momentum", 0.9)
      .set("optimizer_momentum_nesterov", true)
      .set("optimizer_lars_trust", 0.01);
}

// Location of the values: each rank's own memory, or one copy for all.
enum class Values { own, one_copy };

// Returns whether this communicator can have one copy for its ranks.
bool has_common_memory(const RankContext& rank) { return rank.communicator.common_memory() != nullptr; }

// One rank's training of a model whose gradients follow a formula.
class Training {
 public:
  Training(const RankContext& rank, MakeOptimizer make, const SyncOptions& options, double clip_norm = 0,
           Values values = Values::own, ParameterTable table = layers())
      : communicator_(rank.communicator),
        optimizer_(make(hparams())),
        table_(std::move(table)),
        store_(table_, values == Values::own ? communicator_.allocator() : *communicator_.common_memory(),
               communicator_.allocator(), DType::float32) {
    replica_.emplace(*backend_, store_, *optimizer_, clip_norm);
    strategy_ = make_sync_strategy(communicator_, rank.trace, *replica_, options);
    if (communicator_.rank() == 0) {
      for (std::int64_t i = 0; i < table_.padded_count(); ++i) store_.values().as<float>()[i] = formula(i, 0);
    }
    strategy_->start();
  }

  // spoiled: index of the variable whose gradient gets a NaN on rank 0; -1: none.
  StepResult step(std::int64_t number, int spoiled = -1) {
    strategy_->begin_step(number, 0);
    for (int share = 0; share < strategy_->shares(); ++share) {
      const int salt = static_cast<int>(number) * 100 + (communicator_.rank() + 1) * 10 + share;
      strategy_->add_share({.loss = 2.5, .weight = 1.0 + communicator_.rank()});
      for (int i = static_cast<int>(table_.variables().size()); i-- > 0;) {
        if (table_[i].trainable) {
          float* const gradient = store_.gradient(i).as<float>();
          for (std::int64_t k = 0; k < table_[i].range.count(); ++k) gradient[k] = formula(k, salt + i);
          if (i == spoiled && communicator_.rank() == 0) gradient[3] = std::numeric_limits<float>::quiet_NaN();
        }
        strategy_->on_gradient_ready(table_.padded(i, i + 1));
      }
    }
    return strategy_->finish_step(0.01);
  }

  std::vector<float> values() const {
    const auto values = store_.values().span<float>();
    return {values.begin(), values.end()};
  }
  // Returns the state on rank 0; empty on others.
  std::vector<std::vector<float>> state() const {
    StateArrays arrays;
    strategy_->copy_state(arrays);
    return arrays.slots;
  }
  void restore(std::vector<std::vector<float>> state) const {
    StateArrays arrays{.slots = std::move(state)};
    strategy_->restore_state(arrays, SavedSlots::one_state);
  }
  std::int64_t slot_elements() const { return replica_->slots().empty() ? 0 : replica_->slots()[0].count(); }
  const ParameterStore& store() const { return store_; }
  // Norm of the gradients that this rank has.
  double norm() { return GradientNorm(*backend_, store_, true).norm(); }
  const Strategy& strategy() const { return *strategy_; }

 private:
  static float formula(std::int64_t i, int salt) {
    return static_cast<float>((i * 7919 + salt * 104729) % 2003 - 1001) / 512;
  }

  Communicator& communicator_;
  std::unique_ptr<Backend> backend_ = make_cpu_backend();
  std::unique_ptr<Optimizer> optimizer_;
  ParameterTable table_;
  ParameterStore store_;
  std::optional<Replica> replica_;
  std::unique_ptr<Strategy> strategy_;
};

void check_same_as_whole(const RankContext& rank, MakeOptimizer make, SyncOptions options, double clip_norm) {
  Training whole(rank, make, options, clip_norm);
  options.shard_optimizer = true;
  std::vector<std::unique_ptr<Training>> others;
  others.push_back(std::make_unique<Training>(rank, make, options, clip_norm));
  if (has_common_memory(rank)) {
    others.push_back(std::make_unique<Training>(rank, make, options, clip_norm, Values::one_copy));
  }
  for (int step = 1; step <= 4; ++step) {
    const StepResult expected = whole.step(step);
    for (const auto& parts : others) {
      const StepResult result = parts->step(step);
      CHECK(result.gradient_norm == expected.gradient_norm);
      CHECK(result.gradient_factor == expected.gradient_factor);
      CHECK(result.sums.loss == expected.sums.loss);
      CHECK(parts->values() == whole.values());
    }
  }
  for (const auto& parts : others) CHECK(parts->state() == whole.state());
}

}  // namespace

TEST_CASE(
    "sharded: values, norm and state have the bits of unsharded, for any ranks, bucket, optimizer, clipped or not") {
  for (const int ranks : {1, 2, 3, 5, 8}) {
    for_thread_ranks(ranks, [](RankContext& rank) {
      for (MakeOptimizer make : {make_sgd, make_momentum, make_adam, make_lamb, make_lars, make_adafactor}) {
        for (const double clip_norm : {0.0, 0.5}) {
          for (const std::int64_t bucket : {5000, 1 << 20}) {
            check_same_as_whole(rank, make, {.bucket_elements = bucket}, clip_norm);
          }
        }
      }
      check_same_as_whole(rank, make_adam, {.bucket_elements = 9000, .accumulated_shares = 3}, 0.5);
      const bool idle = rank.communicator.rank() == 1;  // has no data, but still owns a part
      check_same_as_whole(rank, make_adam, {.accumulated_shares = idle ? 0 : 2}, 0.5);
    });
  }
}

TEST_CASE("sharded: the same bits over a communication thread, which gathers while the next slice is updated") {
  for_thread_ranks(3, [](RankContext& rank) {
    const auto threaded = make_communication_thread(rank.communicator.split(0, 0));
    RankContext context{*threaded, rank.trace, rank.page};
    for (MakeOptimizer make : {make_adam, make_lamb})
      check_same_as_whole(context, make, {.bucket_elements = 5000}, 0.5);
    threaded->close();
  });
}

TEST_CASE("sharded --exact: the bits of unsharded, over any communicator") {
  for_rank_contexts([](RankContext& rank) {
    for (MakeOptimizer make : {make_adam, make_lamb}) {
      check_same_as_whole(rank, make, {.bucket_elements = 7000, .micro_shards = 8}, 0.5);
    }
  });
}

TEST_CASE("a large model's norm is worked out by all ranks together: the bits of one rank, a NaN named on all") {
  ParameterTable table;
  table.add("a/kernel", {2000, 2100}, true);
  table.add("b/bias", {5001}, false);
  for (const int ranks : {2, 3}) {
    for_thread_ranks(ranks, [&](RankContext& rank) {
      Training training(rank, make_momentum, {.bucket_elements = 1000003}, 0.5, Values::own, table);
      const double weight = 0.5 * ranks * (ranks + 1);
      const StepResult result = training.step(1);
      CHECK(result.gradient_norm == training.norm() / weight);
      Training parts(rank, make_momentum, {.bucket_elements = 1000003, .shard_optimizer = true}, 0.5, Values::own,
                     table);
      parts.step(1);
      CHECK(parts.values() == training.values());
      for (const int variable : {1, 0}) {
        const std::string name = table[variable].name;
        check_error(ExitCode::internal, {"the gradient of " + name + " at step 2 is not finite"},
                    [&] { training.step(2, variable); });
      }
    });
  }
}

TEST_CASE("sharded: a rank keeps the state of its part, all parts together are the whole") {
  for_rank_contexts([](RankContext& rank) {
    const int ranks = rank.communicator.size();
    const std::int64_t whole = layers().padded_count();
    for (MakeOptimizer make : {make_adam, make_lamb}) {
      const Training training(rank, make, {.shard_optimizer = true});
      std::int64_t sum = 0;
      for (const std::int64_t each : all_gather_value(rank.communicator, training.slot_elements())) sum += each;
      CHECK(sum == whole);
      if (make == make_adam) CHECK(training.slot_elements() <= whole / ranks + 2 * kSquaresChunk);
    }
    const Training training(rank, make_adam, {.shard_optimizer = true});
    const std::string description = training.strategy().description();
    if (ranks > 1) CHECK(description.find("of the optimizer's 0.3 MB of state") != std::string::npos);
  });
}

TEST_CASE("a state that was saved in parts is restored whole, and the other way round") {
  for_thread_ranks(3, [](RankContext& rank) {
    for (MakeOptimizer make : {make_adam, make_lamb}) {
      Training whole(rank, make, {});
      Training parts(rank, make, {.shard_optimizer = true});
      for (int step = 1; step <= 2; ++step) {
        whole.step(step);
        parts.step(step);
      }
      const auto of_parts = parts.state();
      parts.restore(whole.state());
      whole.restore(of_parts);
      whole.step(3);
      parts.step(3);
      CHECK(parts.values() == whole.values());
      CHECK(parts.state() == whole.state());
    }
  });
}

TEST_CASE("sharded: a NaN that one rank finds ends the step of all, with the tensor's name") {
  for_rank_contexts([](RankContext& rank) {
    for (MakeOptimizer make : {make_adam, make_lamb}) {
      for (const int variable : {1, 4, 7}) {
        Training training(rank, make, {.bucket_elements = 5000, .shard_optimizer = true});
        training.step(1);
        const std::string name = training.store().table()[variable].name;
        check_error(ExitCode::internal, {"the gradient of " + name + " at step 2 is not finite"},
                    [&] { training.step(2, variable); });
      }
    }
  });
}

TEST_CASE("one copy: values, norm and state have the bits of sync, in shared memory, by either thread") {
  for (const int ranks : {1, 2, 3, 5}) {
    for_shm_thread_ranks(ranks, [](RankContext& rank) {
      const auto threaded = make_communication_thread(rank.communicator.split(0, rank.communicator.rank()));
      const RankContext with_thread{*threaded, rank.trace, rank.page};
      for (MakeOptimizer make : {make_adam, make_lamb}) {
        REQUIRE(has_common_memory(rank));
        check_same_as_whole(rank, make, {.bucket_elements = 5000, .accumulated_shares = 2}, 0.5);
        check_same_as_whole(rank, make, {.bucket_elements = 5000, .wire_dtype = DType::bfloat16}, 0.5);
        check_same_as_whole(with_thread, make, {.bucket_elements = 5000}, 0.5);
      }
      threaded->close();
    });
  }
}

TEST_CASE("one copy: all ranks have the same values, in one place, and say how many bytes that is") {
  for (const int ranks : {2, 3, 5}) {
    for_thread_ranks(ranks, [](RankContext& rank) {
      Training training(rank, make_adam, {.shard_optimizer = true}, 0, Values::one_copy);
      const auto places = all_gather_value(rank.communicator, training.store().values().data());
      CHECK(places.front() == places.back());
      CHECK(training.strategy().description().find("all ranks have one copy of the 0.1 MB of parameters; each rank "
                                                   "updates a part, with at most") != std::string::npos);
    });
  }
}

TEST_CASE("one copy: a NaN that one rank finds ends the step of all before anything is updated") {
  for_thread_ranks(3, [](RankContext& rank) {
    Training training(rank, make_adam, {.bucket_elements = 5000, .shard_optimizer = true}, 0, Values::one_copy);
    training.step(1);
    const std::vector<float> before = training.values();
    check_error(ExitCode::internal, {"the gradient of b/bias at step 2 is not finite"}, [&] { training.step(2, 4); });
    CHECK(training.values() == before);
  });
}

TEST_CASE("one copy: a strategy by which each rank would update all of it is refused") {
  for_thread_ranks(2, [](RankContext& rank) {
    check_error(ExitCode::internal, {"all ranks have one copy"},
                [&] { const Training training(rank, make_adam, {}, 0, Values::one_copy); });
  });
}

}  // namespace lockstep
