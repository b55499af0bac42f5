// Sums by plans over messages, with ranks as threads and over MPI: closed-form values, and the order of additions.
#include "collective/wire/wire_communicator.h"

#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "base/error.h"
#include "collective/closed_form.h"
#include "collective/slices.h"
#include "collective/sum_kernels.h"
#include "collective/tree_plan.h"
#include "collective/tree_reference.h"
#include "support/ranks.h"

namespace lockstep {
namespace {

std::unique_ptr<Communicator> wire(RankContext& context, SumOrder order) {
  auto group = context.communicator.split(0, context.communicator.rank());
  return make_wire_communicator(std::move(group), make_messages(context), context.trace, order, 0);
}

void for_wires(const std::function<void(Communicator&)>& body) {
  for (const SumOrder order : {SumOrder::any, SumOrder::ranks}) {
    for_rank_contexts([&](RankContext& context) {
      CAPTURE(context.communicator.size());
      const auto communicator = wire(context, order);
      body(*communicator);
      communicator->close();
    });
  }
}

// Sizes around those at which another plan begins, and sums of many segments.
std::vector<std::int64_t> counts(std::size_t element) {
  const auto values = [&](std::int64_t bytes) { return bytes / static_cast<std::int64_t>(element); };
  return {0, 1, 7, values(8 << 10), values(8 << 10) + 1, values(64 << 10) + 3, values(300 << 10)};
}

template <class T>
void check_sums(Communicator& communicator) {
  for (const std::int64_t count : counts(sizeof(T))) {
    CAPTURE(count);
    auto values = own_values<T>(communicator.rank(), count);
    const Tensor tensor(values.data(), dtype_of<T>(), {count});
    communicator.wait(communicator.all_reduce(tensor));
    CHECK(count_wrong<T>(values, {0, count}, communicator.size()) == 0);

    const auto slices = equal_slices(count, communicator.size());
    auto own = own_values<T>(communicator.rank(), count);
    std::ranges::copy(own, values.begin());
    communicator.wait(communicator.reduce_scatter(tensor, slices));
    CHECK(count_wrong<T>(values, slices[static_cast<std::size_t>(communicator.rank())], communicator.size()) == 0);
    communicator.wait(communicator.all_gather(tensor, slices));
    CHECK(count_wrong<T>(values, {0, count}, communicator.size()) == 0);
  }
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

std::vector<float> tree_values(TreePlan::Node node, std::int64_t count) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(tree_sum<float>(node.begin, node.end, i));
  return values;
}

}  // namespace

TEST_CASE("wire: all_reduce, reduce_scatter and all_gather of every size") {
  for_wires([](Communicator& communicator) {
    check_sums<float>(communicator);
    check_sums<std::uint8_t>(communicator);
  });
}

TEST_CASE("wire: sums of many segments") {
  constexpr std::int64_t kCount = (3 << 18) + 1;  // 3 MB
  for_wires([](Communicator& communicator) {
    auto values = own_values<float>(communicator.rank(), kCount);
    communicator.wait(communicator.all_reduce({values.data(), DType::float32, {kCount}}));
    CHECK(count_wrong<float>(values, {0, kCount}, communicator.size()) == 0);
  });
}

TEST_CASE("wire: sums in the order of ranks have the bits of one sum over all of them") {
  for_rank_contexts([](RankContext& context) {
    const auto communicator = wire(context, SumOrder::ranks);
    CHECK(communicator->scatters_alike() == (communicator->size() <= kMostOrdered));
    for (const std::int64_t count : counts(sizeof(float))) {
      std::vector<std::vector<float>> all;
      std::vector<const void*> sources;
      for (int rank = 0; rank < communicator->size(); ++rank) all.push_back(fractions(rank, count));
      for (const auto& values : all) sources.push_back(values.data());
      std::vector<float> expected(static_cast<std::size_t>(count));
      void* const sum = expected.data();
      if (count > 0) sum_into(DType::float32, sources, {&sum, 1}, count);

      auto values = fractions(communicator->rank(), count);
      communicator->wait(communicator->all_reduce({values.data(), DType::float32, {count}}));
      if (communicator->size() <= kMostOrdered) CHECK(same_bits(values, expected));
    }
    communicator->close();
  });
}

TEST_CASE("wire: all ranks have the same bits, whatever the order") {
  for_wires([](Communicator& communicator) {
    for (const std::int64_t count : counts(sizeof(float))) {
      auto values = fractions(communicator.rank(), count);
      communicator.wait(communicator.all_reduce({values.data(), DType::float32, {count}}));
      auto of_first = values;
      communicator.broadcast(std::as_writable_bytes(std::span(of_first)), 0);
      CHECK(same_bits(values, of_first));
    }
  });
}

TEST_CASE("wire: the tree of --exact has the same bits on any ranks") {
  for_rank_contexts([](RankContext& context) {
    const auto communicator = wire(context, SumOrder::any);
    const int ranks = communicator->size();
    for (const int idle : {0, 1}) {
      if (ranks - idle < 1) continue;
      std::vector<bool> owners(static_cast<std::size_t>(ranks), true);
      if (idle == 1) owners.front() = false;
      for (const int leaves : {8, 13}) {
        const TreePlan plan(leaves, owners);
        for (const std::int64_t count : {std::int64_t{0}, std::int64_t{5}, std::int64_t{50'001}}) {
          CAPTURE(count);
          std::vector<std::vector<float>> parts;
          std::vector<Tensor> tensors;
          for (const TreePlan::Node& node : plan.parts(communicator->rank())) {
            parts.push_back(tree_values(node, count));
          }
          for (auto& part : parts) tensors.emplace_back(part.data(), DType::float32, Shape{count});
          std::vector<float> result(static_cast<std::size_t>(count));
          communicator->wait(communicator->tree_all_reduce(plan, tensors, {result.data(), DType::float32, {count}}));
          CHECK(same_bits(result, tree_sums<float>(leaves, count)));
        }
      }
    }
    communicator->close();
  });
}

TEST_CASE("wire: what does not sum is the group's") {
  for_wires([](Communicator& communicator) {
    double value = communicator.rank();
    communicator.wait(communicator.broadcast({&value, DType::float64, {1}}, communicator.size() - 1));
    CHECK(value == communicator.size() - 1);
    CHECK(all_gather_value(communicator, communicator.rank()).back() == communicator.size() - 1);
    const auto half = communicator.split(communicator.rank() % 2, communicator.rank());
    CHECK(half->size() == (communicator.size() + 1 - communicator.rank() % 2) / 2);
    half->close();
  });
}

TEST_CASE("wire: types without sums, and values of a device, are refused") {
  for_wires([](Communicator& communicator) {
    std::int32_t number = 1;
    CHECK_THROWS_WITH_AS(communicator.all_reduce({&number, DType::int32, {1}}),
                         doctest::Contains("there are no sums of int32"), Error);
  });
}

}  // namespace lockstep
