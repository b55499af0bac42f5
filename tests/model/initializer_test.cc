#include "model/initializer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tensor/cpu/cpu_backend.h"

namespace lockstep {
namespace {

std::vector<double> drawn(std::int64_t count, std::uint64_t seed) {
  const auto backend = make_cpu_backend();
  HostAllocator allocator;
  ParameterTable table;
  table.add("a", {count}, true);
  const ParameterStore store(table, allocator, DType::float64);
  initialize(*backend, store, {Initializer::normal(2)}, seed);
  const auto values = store.value(0).span<double>();
  return {values.begin(), values.end()};
}

double share(const std::vector<double>& values, double below) {
  return static_cast<double>(std::ranges::count_if(values, [=](double value) { return std::abs(value) < below; })) /
         static_cast<double>(values.size());
}

// 100,000 draws: the standard deviation of their mean is 2 / sqrt(100000) = 0.006, of a share at most 0.0016.
TEST_CASE(
    "normal initial values have mean 0, the standard deviation asked for and the shares of a normal distribution") {
  const std::vector<double> values = drawn(100'000, 1);
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  CHECK(std::abs(sum / 100'000) < 0.03);
  CHECK(std::abs(std::sqrt(squares / 100'000) - 2) < 0.03);
  CHECK(std::abs(share(values, 2) - 0.6827) < 0.008);
  CHECK(std::abs(share(values, 4) - 0.9545) < 0.004);
  CHECK(std::abs(share(values, 6) - 0.9973) < 0.001);
}

TEST_CASE("a normal initial value depends on the seed and the element, not on how many there are") {
  const std::vector<double> all = drawn(11, 5);
  const std::vector<double> some = drawn(6, 5);
  CHECK(std::vector<double>(all.begin(), all.begin() + 6) == some);
  CHECK(drawn(6, 6) != some);
}

TEST_CASE("a large variable, which is drawn in pieces, has other values in each of them") {
  constexpr std::int64_t kPiece = 1 << 20;
  const std::vector<double> values = drawn(2 * kPiece + 3, 5);
  const std::vector<double> few = drawn(3, 5);
  CHECK(std::equal(few.begin(), few.end(), values.begin()));
  for (const std::int64_t begin : {kPiece, 2 * kPiece}) {
    CHECK(!std::equal(few.begin(), few.end(), values.begin() + begin));
  }
}

}  // namespace
}  // namespace lockstep
