#include "collective/tree_all_reduce.h"

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "collective/tree_reference.h"
#include "support/ranks.h"
#include "tensor/half_types.h"

namespace lockstep {
namespace {

constexpr int kLeafCounts[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 16};

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// Returns elements [begin, end) of each of the rank's parts.
template <class T>
std::vector<std::vector<T>> parts_of(const TreePlan& plan, int rank, FlatRange range) {
  std::vector<std::vector<T>> parts;
  for (const TreePlan::Node& node : plan.parts(rank)) {
    parts.emplace_back();
    for (auto i = range.begin; i < range.end; ++i) parts.back().push_back(tree_sum<T>(node.begin, node.end, i));
  }
  return parts;
}

// Returns the sum of all leaves, computed in calls of `piece` elements.
template <class T>
std::vector<T> sum(Communicator& communicator, const TreePlan& plan, std::int64_t count, std::int64_t piece) {
  std::vector<T> result(static_cast<std::size_t>(count), T{-7});
  for (std::int64_t begin = 0; begin < count; begin += piece) {
    const FlatRange range{begin, std::min(begin + piece, count)};
    auto parts = parts_of<T>(plan, communicator.rank(), range);
    std::vector<Tensor> tensors;
    tensors.reserve(parts.size());
    for (auto& part : parts) tensors.emplace_back(part.data(), dtype_of<T>(), Shape{range.count()});
    communicator.wait(
        communicator.tree_all_reduce(plan, tensors, {result.data() + begin, dtype_of<T>(), {range.count()}}));
  }
  return result;
}

}  // namespace

TEST_CASE("the sum has the bits of the tree's definition, for every number of leaves and ranks") {
  for_ranks([](Communicator& communicator) {
    for (const int leaves : kLeafCounts) {
      if (leaves < communicator.size()) continue;
      const TreePlan plan(leaves, communicator.size());
      CAPTURE(leaves);
      for (const std::int64_t count : {0, 1, communicator.size() - 1, communicator.size() + 1, 203}) {
        CAPTURE(count);
        CHECK(same_bits(sum<float>(communicator, plan, count, 1000), tree_sums<float>(leaves, count)));
      }
      CHECK(same_bits(sum<double>(communicator, plan, 57, 1000), tree_sums<double>(leaves, 57)));
    }
  });
}

TEST_CASE("a rank without leaves changes no bit, at the front, in the middle, at the end") {
  for_ranks([](Communicator& communicator) {
    const int size = communicator.size();
    for (const int idle : {0, size / 2, size - 1}) {
      if (size == 1) continue;
      std::vector<bool> owners(static_cast<std::size_t>(size), true);
      owners[static_cast<std::size_t>(idle)] = false;
      const TreePlan plan(9, owners);
      for (const std::int64_t piece : {7, 1000}) {
        CHECK(same_bits(sum<float>(communicator, plan, 101, piece), tree_sums<float>(9, 101)));
      }
    }
    std::vector<bool> one(static_cast<std::size_t>(size), false);
    one.back() = true;
    CHECK(same_bits(sum<double>(communicator, TreePlan(5, one), 33, 1000), tree_sums<double>(5, 33)));
  });
}

TEST_CASE("how values are cut into calls does not change the bits") {
  for_ranks([](Communicator& communicator) {
    const TreePlan plan(9, communicator.size());
    for (const std::int64_t piece : {1, 2, 7, 64, 101}) {
      CHECK(same_bits(sum<float>(communicator, plan, 101, piece), tree_sums<float>(9, 101)));
    }
  });
}

TEST_CASE("the only part may be the result") {
  for_ranks([](Communicator& communicator) {
    const TreePlan plan(communicator.size(), communicator.size());
    std::vector<float> values = parts_of<float>(plan, communicator.rank(), {0, 33}).front();
    const Tensor tensor(values.data(), DType::float32, {33});
    communicator.wait(communicator.tree_all_reduce(plan, {&tensor, 1}, tensor));
    CHECK(same_bits(values, tree_sums<float>(communicator.size(), 33)));
  });
}

namespace {

// Leaves are small integers, whose sums every type represents (uint8 modulo 256), so the tree adds them without
// rounding.
template <class T, class From>
void check_integers(Communicator& communicator, DType dtype, From from) {
  constexpr int kLeaves = 9;
  constexpr std::int64_t kCount = 103;
  const TreePlan plan(kLeaves, communicator.size());
  const auto sum_of = [&](TreePlan::Node node) {
    std::vector<T> sums;
    sums.reserve(kCount);
    for (std::int64_t i = 0; i < kCount; ++i) {
      int sum = 0;
      for (int leaf = node.begin; leaf < node.end; ++leaf) sum += leaf + static_cast<int>(i % 5);
      sums.push_back(from(sum));
    }
    return sums;
  };
  std::vector<std::vector<T>> parts;
  std::vector<Tensor> tensors;
  parts.reserve(plan.parts(communicator.rank()).size());
  tensors.reserve(plan.parts(communicator.rank()).size());
  for (const TreePlan::Node& node : plan.parts(communicator.rank())) {
    parts.push_back(sum_of(node));
    tensors.emplace_back(parts.back().data(), dtype, Shape{kCount});
  }
  std::vector<T> result(kCount);
  communicator.wait(communicator.tree_all_reduce(plan, tensors, {result.data(), dtype, {kCount}}));
  CHECK(same_bits(result, sum_of({0, kLeaves})));
}

}  // namespace

TEST_CASE("the 16-bit types and uint8 are added as what they are") {
  for_ranks([](Communicator& communicator) {
    check_integers<BFloat16>(communicator, DType::bfloat16,
                             [](int sum) { return narrowed<BFloat16>(static_cast<float>(sum)); });
    check_integers<Float16>(communicator, DType::float16,
                            [](int sum) { return narrowed<Float16>(static_cast<float>(sum)); });
    check_integers<std::uint8_t>(communicator, DType::uint8,
                                 [](int sum) { return static_cast<std::uint8_t>(5 * sum); });
  });
}

TEST_CASE("a plan for other ranks, parts that do not fit are refused") {
  for_ranks([](Communicator& communicator) {
    std::vector<float> values(2);
    const Tensor two(values.data(), DType::float32, {2});
    const Tensor one(values.data(), DType::float32, {1});
    const TreePlan other(9, communicator.size() == 9 ? 8 : 9);
    CHECK_THROWS_AS(communicator.tree_all_reduce(other, {&two, 1}, two), Error);
    const TreePlan plan(communicator.size(), communicator.size());
    CHECK_THROWS_AS(communicator.tree_all_reduce(plan, {}, two), Error);
    CHECK_THROWS_AS(communicator.tree_all_reduce(plan, {&one, 1}, two), Error);
  });
}

}  // namespace lockstep
