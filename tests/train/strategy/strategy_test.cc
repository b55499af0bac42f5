#include "train/strategy/strategy.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "optim/optimizers.h"
#include "support/check_error.h"
#include "support/ranks.h"
#include "tensor/cpu/cpu_backend.h"
#include "train/strategy/model_averaging.h"
#include "train/strategy/sync.h"

namespace lockstep {
namespace {

// One rank with a store of 21 elements that start at 100, and plain SGD of rate 1.
struct SmallReplica {
  explicit SmallReplica(Communicator& communicator) {
    table.add("a", {4}, true);
    table.add("b", {5}, true);
    store.emplace(table, communicator.allocator(), communicator.allocator(), DType::float32);
    if (communicator.rank() == 0) backend->fill(store->values(), 100);
    replica.emplace(*backend, *store, *sgd);
  }

  // Makes a step whose gradient is `gradient` everywhere, for a share of this weight with a loss of 10 per weight.
  StepResult step(Strategy& strategy, std::int64_t number, double gradient, double weight) {
    strategy.begin_step(number, 0);
    for (int share = 0; share < strategy.shares(); ++share) {
      strategy.add_share({.loss = 10 * weight, .weight = weight});
      backend->fill(store->gradients(), gradient);
      strategy.on_gradient_ready(table.padded(1, 2));
      strategy.on_gradient_ready(table.padded(0, 1));
    }
    return strategy.finish_step(1);
  }

  float value() const { return store->value(1).as<float>()[4]; }

  std::unique_ptr<Backend> backend = make_cpu_backend();
  std::unique_ptr<Optimizer> sgd = make_sgd({});
  ParameterTable table;
  std::optional<ParameterStore> store;
  std::optional<Replica> replica;
};

TEST_CASE("sync: everybody starts from the chief and applies the sum of gradients over the sum of weights") {
  for_rank_contexts([](RankContext& rank) {
    SmallReplica small(rank.communicator);
    const auto strategy = make_sync_strategy(rank.communicator, rank.trace, *small.replica, {.bucket_elements = 3});
    strategy->start();
    CHECK(small.value() == 100);
    const int n = rank.communicator.size();
    const double mine = rank.communicator.rank() + 1;  // this rank's gradient and weight: 1, 2, ... n
    const StepResult result = small.step(*strategy, 1, mine, mine);
    CHECK(result.sums.weight == n * (n + 1) / 2);
    CHECK(result.sums.loss == 5 * n * (n + 1));
    CHECK(!result.local);
    CHECK(strategy->replicas_equal());
    CHECK(small.value() == 99);                                          // both sums are equal
    small.step(*strategy, 2, 4, rank.communicator.rank() == 0 ? 1 : 0);  // only the chief has data, all have gradients
    CHECK(small.value() == doctest::Approx(99 - 4 * n));
  });
}

TEST_CASE("sync: gradients that travel in 16 bits are rounded to them, loss and weight are not") {
  for_rank_contexts([](RankContext& rank) {
    const int n = rank.communicator.size();
    for (const bool sharded : {false, true}) {
      SmallReplica small(rank.communicator);
      const auto strategy =
          make_sync_strategy(rank.communicator, rank.trace, *small.replica,
                             {.bucket_elements = 3, .wire_dtype = DType::bfloat16, .shard_optimizer = sharded});
      strategy->start();
      CHECK((strategy->description().find(" in bfloat16 in buckets of ") != std::string::npos) == (n > 1));
      const StepResult result = small.step(*strategy, 1, 1.001, 1.001);  // bfloat16 has 1 and 1.0078125
      CHECK(result.sums.weight == doctest::Approx(n * 1.001).epsilon(1e-9));
      const double sum = n == 1 ? double{1.001F} : n;
      CHECK(small.value() == doctest::Approx(100 - sum / result.sums.weight).epsilon(1e-6));
      const double root = std::sqrt(static_cast<double>(small.table.padded_count()));
      CHECK(result.gradient_norm == doctest::Approx(root * sum / result.sums.weight).epsilon(1e-6));
    }
  });
}

TEST_CASE("sync: a sum that float16 cannot hold ends the step of all, and the message says what can") {
  for_thread_ranks(3, [](RankContext& rank) {
    for (const DType wire : {DType::float16, DType::bfloat16}) {
      SmallReplica small(rank.communicator);
      const auto strategy = make_sync_strategy(rank.communicator, rank.trace, *small.replica, {.wire_dtype = wire});
      strategy->start();
      if (wire == DType::float16) {
        check_error(ExitCode::internal, {"the gradient of a at step 1 is not finite", "give --wire_dtype=bfloat16"},
                    [&] { small.step(*strategy, 1, 3e4, 1); });
      } else {
        small.step(*strategy, 1, 3e4, 1);
        CHECK(small.value() == doctest::Approx(100 - 3e4).epsilon(1e-2));
      }
    }
  });
}

TEST_CASE("a loop that leaves a call of a step out is told which, under every strategy") {
  for_rank_contexts([](RankContext& rank) {
    for (const bool averaging : {false, true}) {
      SmallReplica small(rank.communicator);
      const auto strategy = averaging ? make_model_averaging(rank.communicator, rank.trace, *small.replica, {})
                                      : make_sync_strategy(rank.communicator, rank.trace, *small.replica, {});
      const FlatRange all = small.table.padded(0, 2);
      check_error(ExitCode::internal, {"no begin_step()"}, [&] { strategy->add_share({}); });
      strategy->begin_step(1, 0);
      check_error(ExitCode::internal, {"no add_share()"}, [&] { strategy->on_gradient_ready(all); });
      strategy->add_share({});
      check_error(ExitCode::internal, {"a whole backward pass"}, [&] { strategy->finish_step(1); });
    }
  });
}

TEST_CASE("sync --exact: the shares of all ranks are the micro-shards") {
  for_rank_contexts([](RankContext& rank) {
    SmallReplica small(rank.communicator);
    const auto strategy =
        make_sync_strategy(rank.communicator, rank.trace, *small.replica, {.bucket_elements = 3, .micro_shards = 11});
    strategy->start();
    const StepResult result = small.step(*strategy, 1, 3, 1);
    CHECK(result.sums.weight == 11);
    CHECK(result.sums.loss == 110);
    CHECK(small.value() == 97);
  });
}

TEST_CASE("model averaging: replicas differ between meetings and take their mean at them") {
  for_rank_contexts([](RankContext& rank) {
    SmallReplica small(rank.communicator);
    const auto strategy = make_model_averaging(rank.communicator, rank.trace, *small.replica, {.interval = 2});
    strategy->start();
    const int n = rank.communicator.size();
    const int me = rank.communicator.rank();
    const StepResult alone = small.step(*strategy, 1, me + 1, 1);
    CHECK(alone.local);
    CHECK(alone.sums.weight == 1);
    CHECK(!strategy->replicas_equal());
    CHECK(small.value() == 99 - me);
    const StepResult met = small.step(*strategy, 2, 2 * (me + 1), 2);
    CHECK(!met.local);
    CHECK(met.sums.weight == 2 * n);
    CHECK(strategy->replicas_equal());
    CHECK(small.value() == doctest::Approx(100 - (n + 1)));  // each lost 2 (me + 1), n + 1 on average
    small.step(*strategy, 3, me + 1, 1);
    strategy->meet();
    CHECK(strategy->replicas_equal());
    CHECK(small.value() == doctest::Approx(100 - 1.5 * (n + 1)));
  });
}

TEST_CASE("sync: a rank without shares applies what the others have summed") {
  for_rank_contexts([](RankContext& rank) {
    const int n = rank.communicator.size();
    if (n == 1) return;
    for (const int idle : {0, n - 1}) {
      for (const bool exact : {false, true}) {
        SmallReplica small(rank.communicator);
        SyncOptions options{.bucket_elements = 3, .accumulated_shares = rank.communicator.rank() == idle ? 0 : 1};
        if (exact) {
          options.micro_shards = 2 * (n - 1);
          options.owners.assign(static_cast<std::size_t>(n), true);
          options.owners[static_cast<std::size_t>(idle)] = false;
        }
        const auto strategy = make_sync_strategy(rank.communicator, rank.trace, *small.replica, options);
        strategy->start();
        CHECK((strategy->shares() == 0) == (rank.communicator.rank() == idle));
        const StepResult result = small.step(*strategy, 1, 6, 2);
        CHECK(result.sums.weight == 2 * (n - 1) * (exact ? 2 : 1));
        CHECK(small.value() == 97);
      }
    }
  });
}

TEST_CASE("model averaging: a replica that saw no data is not part of the mean, and takes it") {
  for_rank_contexts([](RankContext& rank) {
    const int n = rank.communicator.size();
    const int me = rank.communicator.rank();
    if (n == 1) return;
    SmallReplica small(rank.communicator);
    const auto strategy = make_model_averaging(rank.communicator, rank.trace, *small.replica,
                                               {.interval = 2, .accumulated_shares = me == 0 ? 0 : 1});
    strategy->start();
    const StepResult alone = small.step(*strategy, 1, me, 1);
    CHECK(alone.sums.weight == (me == 0 ? 0 : 1));
    CHECK(small.value() == 100 - me);
    const StepResult met = small.step(*strategy, 2, 2 * me, 2);
    CHECK(met.sums.weight == 2 * (n - 1));
    CHECK(small.value() == doctest::Approx(100 - n));  // each of n - 1 lost 2 me, n on average

    // Data may also run out for a rank that has shares: only rank 1 sees any until the next meeting.
    small.step(*strategy, 3, 5, me == 1 ? 1 : 0);
    strategy->meet();
    CHECK(small.value() == doctest::Approx(100 - n - 5));
    strategy->meet();  // no rank has moved
    CHECK(small.value() == doctest::Approx(100 - n - 5));
  });
}

}  // namespace
}  // namespace lockstep
