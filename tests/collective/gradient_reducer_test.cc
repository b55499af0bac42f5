#include "collective/gradient_reducer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "collective/communication_thread.h"
#include "collective/tree_reference.h"
#include "support/ranks.h"
#include "tensor/backend.h"

namespace lockstep {
namespace {

constexpr std::int64_t kCount = 203;
constexpr int kLeaves = 8;

// A step's gradients, made range by range, as in a backward pass.
class Pass {
 public:
  Pass(Communicator& communicator, std::int64_t range)
      : memory_(communicator.allocator().allocate(kCount * sizeof(float))),
        gradients_(view(memory_, DType::float32, {kCount})),
        range_(range) {}

  const Tensor& gradients() const { return gradients_; }

  void run(GradientReducer& reducer, int share, int leaf) {
    for (std::int64_t end = kCount; end > 0; end -= range_) {
      const FlatRange range{std::max<std::int64_t>(end - range_, 0), end};
      for (auto i = range.begin; i < range.end; ++i) values()[i] = leaf_value<float>(leaf, i);
      reducer.ready(share, range);
    }
  }

  float* values() const { return gradients_.as<float>(); }

 private:
  Buffer memory_;
  Tensor gradients_;
  std::int64_t range_;
};

void run_tree_steps(Communicator& communicator, const TreePlan& plan, std::int64_t bucket, std::int64_t range) {
  CAPTURE(bucket);
  CAPTURE(range);
  const auto backend = make_backend({});
  Pass pass(communicator, range);
  const auto reducer = make_tree_reducer(communicator, *backend, plan, pass.gradients(), bucket);
  const TreePlan::Node block = plan.block(communicator.rank());
  REQUIRE(reducer->shares() == block.end - block.begin);
  const std::vector<float> expected = tree_sums<float>(kLeaves, kCount);
  for (int step = 0; step < 2; ++step) {
    for (int share = 0; share < reducer->shares(); ++share) pass.run(*reducer, share, block.begin + share);
    reducer->finish();
    CHECK(std::ranges::equal(std::span(pass.values(), kCount), expected));
  }
}

}  // namespace

TEST_CASE("bucket reducer: sums of gradients, over several steps") {
  for_ranks([](Communicator& communicator) {
    for (const std::int64_t bucket : {1, 50, 203, 1000}) {
      Pass pass(communicator, 30);
      const auto backend = make_backend({});
      const auto reducer = make_bucket_reducer(communicator, *backend, pass.gradients(), bucket, 1);
      CHECK(reducer->shares() == 1);
      CHECK(reducer->owned() == std::vector<FlatRange>{{0, kCount}});
      for (int step = 0; step < 2; ++step) {
        pass.run(*reducer, 0, communicator.rank());
        reducer->finish();
        double worst = 0;
        for (std::int64_t i = 0; i < kCount; ++i) {
          double sum = 0;
          for (int rank = 0; rank < communicator.size(); ++rank) sum += double{leaf_value<float>(rank, i)};
          worst = std::max(worst, std::abs(sum - double{pass.values()[i]}));
        }
        CHECK(worst < 1e-2);  // values are up to 2^11: a few roundings
      }
    }
  });
}

TEST_CASE("slice reducer: each rank has the sums of what it owns, and all of them together everything") {
  for_ranks([](Communicator& communicator) {
    const int ranks = communicator.size();
    const auto backend = make_backend({});
    for (const std::int64_t bucket : {1, 50, 1000}) {
      const auto buckets = slice_buckets(kCount, bucket, ranks, 8);
      Pass pass(communicator, 30);
      const auto reducer = make_slice_reducer(communicator, *backend, pass.gradients(), buckets, 1);
      CHECK(reducer->owned() == owned_ranges(buckets, communicator.rank()));
      for (int step = 0; step < 2; ++step) {
        pass.run(*reducer, 0, communicator.rank());
        reducer->finish();
        double worst = 0;
        for (const FlatRange range : reducer->owned()) {
          for (std::int64_t i = range.begin; i < range.end; ++i) {
            double sum = 0;
            for (int rank = 0; rank < ranks; ++rank) sum += double{leaf_value<float>(rank, i)};
            worst = std::max(worst, std::abs(sum - double{pass.values()[i]}));
          }
        }
        CHECK(worst < 1e-2);
      }
    }
  });
}

TEST_CASE("a listener hears of each bucket's sums, from the end of the store on, as soon as they are there") {
  const auto body = [](Communicator& communicator, bool at_once) {
    const auto backend = make_backend({});
    const TreePlan plan(kLeaves, communicator.size());
    const auto buckets = slice_buckets(kCount, 50, communicator.size(), 8);
    Pass pass(communicator, 30);
    std::vector<std::unique_ptr<GradientReducer>> reducers;
    reducers.push_back(make_bucket_reducer(communicator, *backend, pass.gradients(), 50, 1));
    reducers.push_back(make_slice_reducer(communicator, *backend, pass.gradients(), buckets, 1));
    reducers.push_back(make_tree_reducer(communicator, *backend, plan, pass.gradients(), 50));
    for (const auto& reducer : reducers) {
      std::vector<std::int64_t> begins;
      std::vector<float> heard(kCount);  // content of owned() when the listener was called
      reducer->set_listener([&](std::int64_t begin) {
        const std::int64_t end = begins.empty() ? kCount : begins.back();
        std::copy(pass.values() + begin, pass.values() + end, heard.data() + begin);
        begins.push_back(begin);
      });
      const int first = reducer->shares() == 1 ? communicator.rank() : plan.block(communicator.rank()).begin;
      for (int step = 0; step < 2; ++step) {
        begins.clear();
        for (int share = 0; share < reducer->shares(); ++share) {
          CHECK(begins.empty());
          pass.run(*reducer, share, first + share);
        }
        if (at_once) CHECK((reducer->shares() == 0 || begins.back() == 0));
        reducer->finish();
        CHECK(begins.size() == (reducer == reducers[1] ? buckets.size() : 5));
        CHECK(std::ranges::is_sorted(begins, std::ranges::greater()));
        CHECK(begins.back() == 0);
        for (const FlatRange range : reducer->owned()) {
          CHECK(std::equal(heard.begin() + range.begin, heard.begin() + range.end, pass.values() + range.begin));
        }
      }
    }
  };
  for_ranks([&](Communicator& world) {
    if (world.size() > kLeaves) return;
    body(world, true);
    const auto threaded = make_communication_thread(world.split(0, 0));
    body(*threaded, false);
    threaded->close();
  });
}

TEST_CASE("bucket reducer: shares of a rank are added up before they go out") {
  static constexpr int kShares = 3;
  for_ranks([](Communicator& communicator) {
    Pass pass(communicator, 30);
    const auto backend = make_backend({});
    const auto reducer = make_bucket_reducer(communicator, *backend, pass.gradients(), 50, kShares);
    REQUIRE(reducer->shares() == kShares);
    const int leaves = kShares * communicator.size();
    for (int step = 0; step < 2; ++step) {
      for (int share = 0; share < kShares; ++share) pass.run(*reducer, share, communicator.rank() * kShares + share);
      reducer->finish();
      double worst = 0;
      for (std::int64_t i = 0; i < kCount; ++i) {
        double sum = 0;
        for (int leaf = 0; leaf < leaves; ++leaf) sum += double{leaf_value<float>(leaf, i)};
        worst = std::max(worst, std::abs(sum - double{pass.values()[i]}));
      }
      CHECK(worst < 3e-2);
    }
  });
}

TEST_CASE("tree reducer: the tree's bits for any number of ranks, bucket size and range size") {
  for_ranks([](Communicator& communicator) {
    if (communicator.size() > kLeaves) return;  // --exact refuses more ranks than leaves
    for (const std::int64_t bucket : {1, 64, 1000}) {
      for (const std::int64_t range : {7, 203}) {
        run_tree_steps(communicator, TreePlan(kLeaves, communicator.size()), bucket, range);
      }
    }
  });
}

TEST_CASE("tree reducer: the same bits where a rank has no leaves") {
  for_ranks([](Communicator& communicator) {
    const int size = communicator.size();
    if (size == 1) return;
    for (const int idle : {0, size / 2, size - 1}) {
      std::vector<bool> owners(static_cast<std::size_t>(size), true);
      owners[static_cast<std::size_t>(idle)] = false;
      for (const std::int64_t bucket : {1, 64, 1000})
        run_tree_steps(communicator, TreePlan(kLeaves, owners), bucket, 7);
    }
  });
}

TEST_CASE("bucket reducer: a rank without shares gets the sums of the others") {
  for_ranks([](Communicator& communicator) {
    const int size = communicator.size();
    for (const int idle : {0, size / 2, size - 1}) {
      if (size == 1) continue;
      Pass pass(communicator, 30);
      const auto backend = make_backend({});
      const int shares = communicator.rank() == idle ? 0 : 1;
      const auto reducer = make_bucket_reducer(communicator, *backend, pass.gradients(), 50, shares);
      CHECK(reducer->shares() == shares);
      const int leaf = communicator.rank() - (communicator.rank() > idle ? 1 : 0);
      for (int step = 0; step < 2; ++step) {
        if (shares == 1) pass.run(*reducer, 0, leaf);
        reducer->finish();
        double worst = 0;
        for (std::int64_t i = 0; i < kCount; ++i) {
          double sum = 0;
          for (int other = 0; other + 1 < size; ++other) sum += double{leaf_value<float>(other, i)};
          worst = std::max(worst, std::abs(sum - double{pass.values()[i]}));
        }
        CHECK(worst < 1e-2);
      }
    }
  });
}

TEST_CASE("tree reducer: the same bits with a communication thread") {
  for_ranks([](Communicator& communicator) {
    if (communicator.size() > kLeaves) return;
    const auto threaded = make_communication_thread(communicator.split(0, 0));
    run_tree_steps(*threaded, TreePlan(kLeaves, communicator.size()), 32, 11);
    threaded->close();
  });
}

TEST_CASE("an empty store has nothing to sum") {
  for_ranks([](Communicator& communicator) {
    const Tensor none(nullptr, DType::float32, {0});
    const auto backend = make_backend({});
    const auto bucket = make_bucket_reducer(communicator, *backend, none, 100, 1);
    const auto tree =
        make_tree_reducer(communicator, *backend, TreePlan(communicator.size(), communicator.size()), none, 100);
    for (GradientReducer* reducer : {bucket.get(), tree.get()}) {
      reducer->ready(0, {0, 0});
      CHECK_NOTHROW(reducer->finish());
    }
  });
}

TEST_CASE("gaps, shares out of turn and unfinished passes are bugs") {
  for_ranks([](Communicator& communicator) {
    const auto backend = make_backend({});
    std::vector<float> values(100);
    const Tensor gradients(values.data(), DType::float32, {100});
    const auto bucket = make_bucket_reducer(communicator, *backend, gradients, 200, 1);
    CHECK_THROWS_AS(bucket->ready(0, {0, 50}), Error);
    CHECK_THROWS_AS(bucket->ready(1, {50, 100}), Error);
    CHECK_THROWS_AS(bucket->finish(), Error);
    const TreePlan plan(2 * communicator.size(), communicator.size());
    const auto tree = make_tree_reducer(communicator, *backend, plan, gradients, 200);
    CHECK_THROWS_AS(tree->ready(1, {50, 100}), Error);
    CHECK_THROWS_AS(tree->finish(), Error);
    const TreePlan other(100, communicator.size() + 1);
    CHECK_THROWS_AS(make_tree_reducer(communicator, *backend, other, gradients, 200), Error);
  });
}

}  // namespace lockstep
