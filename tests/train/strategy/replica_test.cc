#include "train/strategy/replica.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "collective/sliced_buckets.h"
#include "optim/optimizers.h"
#include "support/check_error.h"
#include "support/ranks.h"
#include "tensor/cpu/cpu_backend.h"

namespace lockstep {
namespace {

ParameterTable two_variables() {
  ParameterTable table;
  table.add("a/kernel", {3}, true);
  table.add("b/bias", {20}, false);
  return table;
}

struct Fixture {
  Fixture() { replica.own_all(); }

  std::string message_of(double loss, double weight) {
    try {
      replica.update(7, 0.1, {.loss = loss, .weight = weight}, Scope::every_rank);
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::internal);
      return error.what();
    }
    return "";
  }

  std::unique_ptr<Backend> backend = make_cpu_backend();
  std::unique_ptr<Optimizer> sgd = make_sgd({});
  ParameterTable table = two_variables();
  HostAllocator allocator;
  ParameterStore store{table, allocator, allocator, DType::float32};
  Replica replica{*backend, store, *sgd};
};

TEST_CASE("an update divides by the weight and returns the norm of the mean gradient") {
  Fixture f;
  f.backend->fill(f.store.gradient(0), 8);  // three elements of 8 / 4
  CHECK(f.replica.update(1, 0.5, {.loss = 1, .weight = 4}, Scope::every_rank).gradient_norm ==
        doctest::Approx(std::sqrt(12.0)));
  CHECK(f.store.value(0).as<float>()[2] == -1);
  CHECK(f.store.value(1).as<float>()[0] == 0);
}

TEST_CASE("a gradient beyond the clipping norm is scaled down to it, a smaller one is left alone") {
  Fixture f;
  Replica clipped(*f.backend, f.store, *f.sgd, 2);
  clipped.own_all();
  f.store.gradient(0).as<float>()[0] = 12;
  f.store.gradient(1).as<float>()[5] = 16;  // norm 20 of the sum, 5 of the mean
  CHECK(clipped.update(1, 1, {.loss = 1, .weight = 4}, Scope::every_rank).gradient_norm == doctest::Approx(5));
  CHECK(f.store.value(0).as<float>()[0] == doctest::Approx(-3.0 * 2 / 5));
  CHECK(f.store.value(1).as<float>()[5] == doctest::Approx(-4.0 * 2 / 5));

  f.backend->fill(f.store.values(), 0);
  f.backend->fill(f.store.gradients(), 0);
  f.store.gradient(0).as<float>()[0] = 8;
  CHECK(clipped.update(2, 1, {.loss = 1, .weight = 4}, Scope::every_rank).gradient_norm == doctest::Approx(2));
  CHECK(f.store.value(0).as<float>()[0] == -2);
}

TEST_CASE("constants of the model are no optimizer's") {
  Fixture f;
  ParameterTable table;
  table.add_constant("standardization/mean", {3});
  table.add("kernel", {4}, true);
  const ParameterStore store(table, f.allocator, f.allocator, DType::float32);
  Replica replica(*f.backend, store, *f.sgd);
  replica.own_all();
  f.backend->fill(store.gradients(), 1);
  replica.update(1, 1, {.loss = 1, .weight = 1}, Scope::every_rank);
  CHECK(store.value(0).as<float>()[2] == 0);
  CHECK(store.value(1).as<float>()[3] == -1);
}

TEST_CASE("what is not finite is named with its step") {
  Fixture f;
  CHECK(f.message_of(1, 4) == "");
  CHECK(f.message_of(NAN, 4).find("the loss at step 7 is not finite") == 0);
  f.store.gradient(1).as<float>()[19] = -std::numeric_limits<float>::infinity();
  CHECK(f.message_of(1, 4).find("the gradient of b/bias at step 7 is not finite") == 0);
}

TEST_CASE("a step that nobody has data for changes nothing") {
  Fixture f;
  f.backend->fill(f.store.gradients(), 1);
  CHECK(f.replica.update(1, 0.5, {}, Scope::every_rank).gradient_norm == 0);
  CHECK(f.store.value(0).as<float>()[0] == 0);
}

TEST_CASE("the norm is summed chunk by chunk: the same bits however many elements there are before and behind") {
  Fixture f;
  ParameterTable table;
  table.add("kernel", {2 * kSquaresChunk + 100}, true);
  const ParameterStore store(table, f.allocator, f.allocator, DType::float32);
  double expected = 0;
  for (std::int64_t begin = 0; begin < store.gradients().count(); begin += kSquaresChunk) {
    const FlatRange chunk{begin, std::min(begin + kSquaresChunk, store.gradients().count())};
    for (std::int64_t i = chunk.begin; i < chunk.end; ++i) {
      store.gradients().as<float>()[i] = 1.0F / static_cast<float>(i + 1);
    }
    double sum = 0;
    f.backend->sum_squares(store.gradients().flat(chunk), Tensor(&sum, DType::float64, {1}));
    expected += sum;
  }
  GradientNorm norm(*f.backend, store, true);
  CHECK(norm.norm() == std::sqrt(expected));
  for (const std::int64_t step : {1, 1000, 5000}) {  // in parts, as for buckets
    for (std::int64_t begin = store.gradients().count(); begin > step; begin -= step) norm.add_from(begin);
    CHECK(norm.norm() == std::sqrt(expected));
  }
}

TEST_CASE("a part of the norm that was summed early is not summed again, until the next step") {
  Fixture f;
  const std::int64_t half = f.store.table()[1].range.begin;
  for (const ControlValues sums : {ControlValues{.loss = 1, .weight = 1}, ControlValues{}}) {
    f.backend->fill(f.store.gradients(), 1);
    f.replica.add_to_norm(0);
    f.backend->fill(f.store.gradients().flat({half, half + 1}), 2);
    const double norm = f.replica.begin_update(1, sums, Scope::every_rank).gradient_norm;
    CHECK(norm == (sums.weight == 0 ? 0 : std::sqrt(static_cast<double>(f.store.gradients().count()))));
    CHECK(f.replica.begin_update(2, {.loss = 1, .weight = 1}, Scope::every_rank).gradient_norm ==
          std::sqrt(static_cast<double>(f.store.gradients().count()) + 3));
  }
}

TEST_CASE("a norm that ranks work out together has the bits of one rank's") {
  for_rank_contexts([](RankContext& rank) {
    ParameterTable table;
    table.add("kernel", {9 * kSquaresChunk + 100}, true);
    HostAllocator allocator;
    const auto backend = make_cpu_backend();
    const auto sgd = make_sgd({});
    const ParameterStore store(table, allocator, allocator, DType::float32);
    for (std::int64_t i = 0; i < store.gradients().count(); ++i) {
      store.gradients().as<float>()[i] = 1.0F / static_cast<float>(i + 1);
    }
    const auto buckets =
        slice_buckets(store.gradients().count(), 3 * kSquaresChunk, rank.communicator.size(), kSquaresChunk);
    std::vector<std::vector<FlatRange>> parts;
    parts.reserve(static_cast<std::size_t>(rank.communicator.size()));
    for (int r = 0; r < rank.communicator.size(); ++r) parts.push_back(owned_ranges(buckets, r));
    Replica replica(*backend, store, *sgd);
    replica.own_all();
    replica.share_norm(rank.communicator, rank.trace, parts);
    const double norm = GradientNorm(*backend, store, true).norm();
    for (int step = 1; step <= 2; ++step) {
      replica.add_to_norm(5000);  // update() adds the rest
      CHECK(replica.update(step, 0.1, {.loss = 1, .weight = 1}, Scope::every_rank).gradient_norm == norm);
    }
  });
}

TEST_CASE("an update in parts has the bits of a whole one") {
  ParameterTable table;
  table.add_constant("mean", {7});
  table.add("a/kernel", {50, 31}, true);
  table.add("a/bias", {31}, false);
  table.add("b/kernel", {31, 9}, true);
  HostAllocator allocator;
  const auto backend = make_cpu_backend();
  const auto adam = make_adam(adam_hparams().set("weight_decay", 0.1));
  const auto values_after = [&](std::int64_t part) {
    const ParameterStore store(table, allocator, allocator, DType::float32);
    Replica replica(*backend, store, *adam, 0.5);
    replica.own_all();
    const std::int64_t count = store.values().count();
    for (std::int64_t i = 0; i < count; ++i) {
      store.values().as<float>()[i] = static_cast<float>(i % 97) / 64;
      store.gradients().as<float>()[i] = static_cast<float>(i % 89 - 44) / 32;
    }
    for (std::int64_t step = 1; step <= 3; ++step) {
      const Replica::Update update = replica.begin_update(step, {.loss = 1, .weight = 3}, Scope::every_rank);
      for (std::int64_t end = count; end > 0; end -= part) {
        replica.apply(step, 0.01, update, {std::max<std::int64_t>(end - part, 0), end});
      }
    }
    const auto values = store.values().span<float>();
    return std::vector<float>(values.begin(), values.end());
  };
  const std::vector<float> whole = values_after(1 << 20);
  for (const std::int64_t part : {1, 16, 700}) CHECK(values_after(part) == whole);
}

TEST_CASE("a part that cuts a variable of a layer-wise optimizer is a bug") {
  Fixture f;
  const auto lars = make_lars(lars_hparams());
  Replica replica(*f.backend, f.store, *lars);
  replica.own_all();
  check_error(ExitCode::internal, {"cuts a variable of an optimizer that is not sliceable"}, [&] {
    replica.apply(1, 0.1, {.gradient_factor = 1}, {0, 2});
  });
}

}  // namespace
}  // namespace lockstep
