#include "ps/range_state.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "optim/optimizers.h"
#include "support/check_error.h"
#include "tensor/cpu/cpu_backend.h"
#include "tensor/half_types.h"

// Closed forms with SGD, whose update is values -= rate * factor * gradient; all numbers are exact in float32.
namespace lockstep {
namespace {

constexpr FlatRange kRange{16, 64};  // the second variable and the constant of the table

ParameterTable range_state_table() {
  ParameterTable result;
  result.add("before", {10}, true);
  result.add("mine", {5, 5}, true);
  result.add_constant("constant", {7});
  return result;
}

// A server's state, in which all values are 8 at first.
struct Served {
  explicit Served(std::int64_t sum, std::size_t copies = 2, double ema_decay = 0) {
    std::vector<Tensor> tensors;
    for (std::size_t i = 0; i < copies; ++i) {
      memory.push_back(std::vector<float>(static_cast<std::size_t>(kRange.count()), i == 0 ? 8.0F : -1.0F));
      tensors.emplace_back(memory.back().data(), DType::float32, Shape{kRange.count()});
    }
    const RangeState::Rule rule{.table = variables,
                                .optimizer = *sgd,
                                .learning_rate = [](std::int64_t update) { return static_cast<double>(update); },
                                .gradients = sum,
                                .ema_decay = ema_decay};
    state = std::make_unique<RangeState>(*backend, rule, kRange, std::move(tensors));
  }

  void add(float gradient, double factor, double weight) {
    gradients.push_back(std::vector<float>(static_cast<std::size_t>(kRange.count()), gradient));
    state->add({gradients.back().data(), DType::float32, {kRange.count()}}, factor, weight);
  }
  // Returns whether trained values are all this, and the constant, which is never updated, is 8.
  bool all(const Tensor& values, float expected) const {
    const auto span = values.span<float>();
    return std::ranges::all_of(span.first(25), [&](float value) { return value == expected; }) &&
           std::ranges::all_of(span.subspan(32, 7), [](float value) { return value == 8; });
  }

  ParameterTable variables = range_state_table();
  std::unique_ptr<Optimizer> sgd = make_sgd(HParams());
  std::unique_ptr<Backend> backend = make_cpu_backend();
  std::vector<std::vector<float>> memory;
  std::vector<std::vector<float>> gradients;
  std::unique_ptr<RangeState> state;
};

TEST_CASE("one gradient is applied with its own factor, at the rate of its update") {
  Served served(1);
  served.add(3, 0.5, 7);
  served.state->update(1, 0.5);
  CHECK(served.all(served.state->values(), 8 - 1.5F));
  served.add(-1, 0.25, 7);
  served.state->update(4, 0.25);
  CHECK(served.all(served.state->values(), 8 - 1.5F + 1));
}

TEST_CASE("several gradients are summed by their weights, each clipped by itself") {
  Served served(3);
  served.add(6, 1.0 / 2, 2);   // the mean of samples of weight 2, not clipped
  served.add(16, 1.0 / 8, 4);  // clipped to a half
  served.add(-4, 1.0 / 2, 2);
  served.state->update(1, 1.0 / 8);
  CHECK(served.all(served.state->values(), 8 - (6 + 8 - 4) / 8.0F));
  served.add(4, 1.0 / 2, 2);  // a sum that is not full
  served.state->update(2, 1.0 / 2);
  CHECK(served.all(served.state->values(), 8 - 1.25F - 4));
}

TEST_CASE("a copy that is being read stays as it is") {
  Served served(1);
  const std::size_t read = served.state->readers().begin_read();
  served.add(1, 1, 1);
  served.state->update(1, 1);
  CHECK(served.all(served.state->copy(read), 8));
  CHECK(served.all(served.state->values(), 7));
  const std::size_t next = served.state->readers().begin_read();
  CHECK(!served.state->readers().may_update());
  served.state->readers().end_read(read);
  served.add(1, 1, 1);
  served.state->update(2, 1);
  CHECK(served.all(served.state->copy(next), 7));
  CHECK(served.all(served.state->values(), 5));
  CHECK(served.state->values().data() == served.state->copy(read).data());
}

TEST_CASE("the moving average follows every update since it began, one without data too") {
  constexpr std::int64_t kBegun = 4;
  Served served(1, 1, 0.5);
  served.state->begin(0, kBegun);
  const std::vector<Tensor> tensors = served.state->tensors();
  REQUIRE(tensors.size() == 2);
  std::ranges::fill(tensors[1].span<float>(), 8.0F);
  double average = 8;
  double value = 8;
  for (std::int64_t n = 1; n <= 12; ++n) {
    const double factor = n % 3 == 0 ? 0 : 1;
    served.add(1, factor, factor);
    served.state->update(kBegun + n, factor);
    value -= static_cast<double>(kBegun + n) * factor;
    const double decay = std::min(0.5, static_cast<double>(1 + n) / static_cast<double>(10 + n));
    average += (1 - decay) * (value - average);
    CHECK(served.all(served.state->values(), static_cast<float>(value)));
    CHECK(tensors[1].span<float>()[24] == doctest::Approx(average).epsilon(1e-6));
  }
}

TEST_CASE("copies in bfloat16 are the rounded values, which go on in float32, and gradients are widened") {
  const auto backend = make_cpu_backend();
  const ParameterTable table = range_state_table();
  const auto sgd = make_sgd(HParams());
  const auto count = static_cast<std::size_t>(kRange.count());
  for (const std::int64_t sum : {1, 2}) {
    CAPTURE(sum);
    std::vector<std::vector<BFloat16>> memory(2, std::vector<BFloat16>(count));
    std::vector<Tensor> copies;
    for (auto& numbers : memory) copies.emplace_back(numbers.data(), DType::bfloat16, Shape{kRange.count()});
    RangeState state(
        *backend,
        {.table = table, .optimizer = *sgd, .learning_rate = [](std::int64_t) { return 1.0; }, .gradients = sum},
        kRange, copies);
    std::ranges::fill(state.tensors().front().span<float>(), 8.0F);
    state.begin(0, 0);
    // 1/64 is exact; between 4 and 8 bfloat16 has multiples of 1/32, of which ties go to the even one.
    std::vector<BFloat16> gradient(count, narrowed<BFloat16>(1.0F / 64));
    const auto update = [&](std::int64_t number) {
      for (std::int64_t i = 0; i < sum; ++i) {
        state.add({gradient.data(), DType::bfloat16, {kRange.count()}}, 1, 1);
      }
      state.update(number, 1.0 / static_cast<double>(sum));
    };
    const auto copy = [&](std::size_t number) { return widened(state.copy(number).as<BFloat16>()[24]); };
    const std::size_t read = state.readers().begin_read();
    CHECK(copy(read) == 8);
    update(1);
    CHECK(state.values().as<float>()[24] == 8 - 1.0F / 64);
    CHECK(copy(state.readers().current()) == 8);
    update(2);
    CHECK(state.values().as<float>()[24] == 8 - 2.0F / 64);
    CHECK(copy(state.readers().current()) == 8 - 2.0F / 64);
    CHECK(state.readers().current() != read);
    CHECK(copy(read) == 8);
    CHECK(state.tensors().front().as<float>()[38] == 8);  // the constant
    std::vector<float> wide(count);
    check_error(ExitCode::internal, {"another range or type"}, [&] {
      state.add({wide.data(), DType::float32, {kRange.count()}}, 1, 1);
    });
  }
}

TEST_CASE("updates without a gradient, too many gradients and gradients of another range are refused") {
  Served served(2);
  check_error(ExitCode::internal, {"update 1"}, [&] { served.state->update(1, 1); });
  served.add(1, 1, 1);
  served.add(1, 1, 1);
  check_error(ExitCode::internal, {"gradient 3 of an update of 2"}, [&] { served.add(1, 1, 1); });
  Served other(1);
  std::vector<float> short_one(5);
  check_error(ExitCode::internal, {"another range"}, [&] {
    other.state->add({short_one.data(), DType::float32, {5}}, 1, 1);
  });
}

}  // namespace
}  // namespace lockstep
