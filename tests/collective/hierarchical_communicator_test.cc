// Sums on two levels, with ranks as threads on both: closed-form values on hosts of equal and unequal sizes.
#include "collective/hierarchical_communicator.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "collective/closed_form.h"
#include "collective/slices.h"
#include "support/ranks.h"

namespace lockstep {
namespace {

// Host of each rank, for 1, 2, 3, 5 and 6 ranks: one host, a host for each rank, unequal hosts, and hosts whose ranks
// are not consecutive.
const std::vector<std::vector<int>> kLayouts{{0},
                                             {0, 0},
                                             {0, 1},
                                             {0, 0, 1},
                                             {0, 1, 0},
                                             {0, 0, 1, 1, 2},
                                             {0, 1, 1, 1, 1},
                                             {0, 0, 1, 1, 2, 2},
                                             {0, 1, 1, 2, 2, 2},
                                             {0, 1, 0, 1, 1, 2}};

std::unique_ptr<Communicator> hierarchical(Communicator& world, const std::vector<int>& host_of) {
  const int rank = world.rank();
  const int host = host_of[static_cast<std::size_t>(rank)];
  HierarchyLevels levels{.group = world.split(0, rank), .local = world.split(host, rank), .leaders = nullptr};
  levels.leaders = world.split(levels.local->rank() == 0 ? 0 : -1, rank);
  return make_hierarchical_communicator(std::move(levels));
}

void for_layouts(const std::function<void(Communicator&, Communicator& world)>& body) {
  for (const std::vector<int>& host_of : kLayouts) {
    for_thread_ranks(static_cast<int>(host_of.size()), [&](RankContext& context) {
      CAPTURE(host_of.size());
      const auto communicator = hierarchical(context.communicator, host_of);
      body(*communicator, context.communicator);
      communicator->close();
    });
  }
}

std::vector<std::int64_t> counts(int size) { return {0, 1, size - 1, size, size + 1, 1001}; }

// Halves for the first two ranks, nothing for the others; one rank has all.
std::vector<FlatRange> unequal_slices(std::int64_t count, int ranks) {
  std::vector<FlatRange> slices(static_cast<std::size_t>(ranks), {count, count});
  slices.front() = {0, ranks == 1 ? count : count / 2};
  if (ranks > 1) slices[1] = {count / 2, count};
  return slices;
}

template <class T>
void check_sums(Communicator& communicator) {
  for (const std::int64_t count : counts(communicator.size())) {
    CAPTURE(count);
    auto values = own_values<T>(communicator.rank(), count);
    communicator.wait(communicator.all_reduce({values.data(), dtype_of<T>(), {count}}));
    CHECK(count_wrong<T>(values, {0, count}, communicator.size()) == 0);
    for (const auto& slices : {equal_slices(count, communicator.size()), unequal_slices(count, communicator.size())}) {
      values = own_values<T>(communicator.rank(), count);
      const Tensor tensor(values.data(), dtype_of<T>(), {count});
      communicator.wait(communicator.reduce_scatter(tensor, slices));
      CHECK(count_wrong<T>(values, slices[static_cast<std::size_t>(communicator.rank())], communicator.size()) == 0);
      communicator.wait(communicator.all_gather(tensor, slices));
      CHECK(count_wrong<T>(values, {0, count}, communicator.size()) == 0);
    }
  }
}

}  // namespace

TEST_CASE("hierarchical: all_reduce, reduce_scatter and all_gather on any hosts") {
  for_layouts([](Communicator& communicator, Communicator&) {
    check_sums<float>(communicator);
    check_sums<double>(communicator);
  });
}

TEST_CASE("hierarchical: the same bits on every rank, and in every call") {
  for_layouts([](Communicator& communicator, Communicator& world) {
    auto values = fractions(communicator.rank(), 1001);
    communicator.wait(communicator.all_reduce({values.data(), DType::float32, {1001}}));
    std::vector<float> all(values.size() * static_cast<std::size_t>(world.size()));
    world.all_gather(std::as_bytes(std::span(values)), std::as_writable_bytes(std::span(all)));
    for (std::size_t begin = 0; begin < all.size(); begin += values.size()) {
      CHECK(std::memcmp(&all[begin], values.data(), values.size() * sizeof(float)) == 0);
    }
    auto again = fractions(communicator.rank(), 1001);
    communicator.wait(communicator.all_reduce({again.data(), DType::float32, {1001}}));
    CHECK(std::memcmp(again.data(), values.data(), values.size() * sizeof(float)) == 0);
  });
}

TEST_CASE("hierarchical: the sums of hosts are added in their order, by all_reduce and by reduce_scatter") {
  for_thread_ranks(5, [](RankContext& context) {
    const auto communicator = hierarchical(context.communicator, {0, 0, 1, 1, 2});
    const auto mine = fractions(communicator->rank(), 1001);
    std::vector<float> all(5 * mine.size());
    communicator->all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
    std::vector<float> expected(mine.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto of = [&](std::size_t rank) { return all[rank * mine.size() + i]; };
      expected[i] = ((of(0) + of(1)) + (of(2) + of(3))) + of(4);
    }
    auto sums = mine;
    communicator->wait(communicator->all_reduce({sums.data(), DType::float32, {1001}}));
    CHECK(sums == expected);
    const auto slices = equal_slices(1001, 5);
    sums = mine;
    communicator->wait(communicator->reduce_scatter({sums.data(), DType::float32, {1001}}, slices));
    const FlatRange own = slices[static_cast<std::size_t>(communicator->rank())];
    CHECK(std::equal(sums.begin() + own.begin, sums.begin() + own.end, expected.begin() + own.begin));
    communicator->close();
  });
}

TEST_CASE("hierarchical: the tree of --exact has the bits that the group alone gives") {
  for_layouts([](Communicator& communicator, Communicator& world) {
    const TreePlan plan(8, world.size());
    const auto parts = plan.parts(world.rank()).size();
    const auto sum_over = [&](Communicator& over) {
      std::vector<std::vector<float>> values(parts);
      std::vector<Tensor> tensors;
      tensors.reserve(parts);
      for (std::size_t part = 0; part < parts; ++part) {
        values[part] = fractions(over.rank(), 100 + static_cast<std::int64_t>(part));
        values[part].resize(100);
        tensors.push_back({values[part].data(), DType::float32, {100}});
      }
      std::vector<float> result(100);
      over.wait(over.tree_all_reduce(plan, tensors, {result.data(), DType::float32, {100}}));
      return result;
    };
    CHECK(sum_over(communicator) == sum_over(world));
  });
}

TEST_CASE("hierarchical: broadcast from each root, of tensors and of bytes") {
  for_layouts([](Communicator& communicator, Communicator&) {
    for (int root = 0; root < communicator.size(); ++root) {
      std::vector<std::int32_t> values(1003, communicator.rank());
      communicator.wait(communicator.broadcast({values.data(), DType::int32, {1003}}, root));
      CHECK(std::ranges::count(values, root) == 1003);
      double one = communicator.rank() + 0.5;
      broadcast_value(communicator, one, root);
      CHECK(one == root + 0.5);
    }
  });
}

TEST_CASE("hierarchical: ranks meet, gather and split as their group does") {
  for_layouts([](Communicator& communicator, Communicator& world) {
    CHECK(communicator.rank() == world.rank());
    CHECK(communicator.size() == world.size());
    communicator.barrier();
    const std::vector<int> all = all_gather_value(communicator, 7 * communicator.rank());
    for (int rank = 0; rank < communicator.size(); ++rank) CHECK(all[static_cast<std::size_t>(rank)] == 7 * rank);
    const auto part = communicator.split(communicator.rank() % 2, 0);
    CHECK(part->size() == (communicator.size() + 1 - communicator.rank() % 2) / 2);
    part->close();
  });
}

TEST_CASE("hierarchical: what decides its bits names the hosts and how each sums, alike on all ranks") {
  for_thread_ranks(5, [](RankContext& context) {
    const auto communicator = hierarchical(context.communicator, {0, 0, 1, 1, 2});
    CHECK(communicator->name() == std::string("hierarchical"));
    CHECK(communicator->summation() == "hierarchical of 2 + 2 + 1 ranks, thread on a host");
    communicator->close();
  });
}

TEST_CASE("hierarchical: a rank that gives up ends the waits of all") {
  for_thread_ranks(5, [](RankContext& context) {
    const auto communicator = hierarchical(context.communicator, {0, 0, 1, 1, 2});
    float value = 1;
    const Tensor tensor(&value, DType::float32, {1});
    if (communicator->rank() == 3) {
      communicator->abandon();
    } else {
      CHECK_THROWS_AS(communicator->wait(communicator->all_reduce(tensor)), Error);
    }
  });
}

TEST_CASE("a broadcast of other types is named") {
  const auto broadcast = [](RankContext& context) {
    const auto communicator = hierarchical(context.communicator, {0, 0});
    std::vector<double> memory(4);
    const DType dtype = communicator->rank() == 0 ? DType::float32 : DType::float64;
    communicator->broadcast({memory.data(), dtype, {4}}, 0);
  };
  CHECK_THROWS_WITH_AS(for_thread_ranks(2, broadcast), doctest::Contains("broadcast of 4 float64"), Error);
}

}  // namespace lockstep
