#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tensor/cuda/gpu_under_test.h"
#include "tensor/half_types.h"

namespace lockstep {
namespace {

// Whole numbers that are small enough for all their sums to be exact in either type.
float whole_number(std::int64_t row, std::int64_t column) {
  return static_cast<float>((7 * row + 3 * column) % 17 - 8);
}

TEST_CASE("sums of rows of whole numbers are exact, of float32 and of bfloat16") {
  on_gpu([](Backend& backend) {
    // No rows, fewer than a warp reads at once, exactly as many, and more; one slice of rows, and many.
    for (const Shape& shape : {Shape{0, 3}, Shape{1, 1}, Shape{3, 7}, Shape{64, 33}, Shape{65, 32}, Shape{3'000, 5},
                               Shape{517, 70}, Shape{9, 3'000}, Shape{0, 0}, Shape{5, 2, 3}}) {
      CAPTURE(shape.text());
      const std::int64_t rows = shape[0];
      const std::int64_t columns = shape.without_front().elements();
      Host<float> matrix(shape);
      Host<BFloat16> narrow(shape);
      std::vector<float> expected(static_cast<std::size_t>(columns), 0.0F);
      for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) {
          const auto at = static_cast<std::size_t>(i * columns + j);
          matrix.data[at] = whole_number(i, j);
          narrow.data[at] = narrowed<BFloat16>(whole_number(i, j));
          expected[static_cast<std::size_t>(j)] += whole_number(i, j);
        }
      }
      const OnGpu<float> sums(backend, Shape{columns});
      backend.sum_rows(OnGpu<float>(backend, matrix).tensor, sums.tensor);
      CHECK(sums.read() == expected);
      const OnGpu<float> of_narrow(backend, Shape{columns});
      backend.sum_rows(OnGpu<BFloat16>(backend, narrow).tensor, of_narrow.tensor);
      CHECK(of_narrow.read() == expected);
    }
  });
}

TEST_CASE("sums of rows of any numbers agree with float64") {
  on_gpu([](Backend& backend) {
    const Host<float> matrix({1'000, 37}, 1);
    std::vector<double> expected(37, 0.0);
    for (std::size_t i = 0; i < matrix.data.size(); ++i) expected[i % 37] += static_cast<double>(matrix.data[i]);
    const OnGpu<float> sums(backend, Shape{37});
    backend.sum_rows(OnGpu<float>(backend, matrix).tensor, sums.tensor);
    // 16 slices of 64 rows: each number goes through fewer than 40 roundings, of sums below 500.
    CHECK(largest_difference(sums.read(), expected) < 40 * 500 * 0x1p-24);
  });
}

std::vector<double> sums_of_squares(Backend& backend, const Host<float>& values) {
  const auto count = static_cast<std::int64_t>(values.data.size());
  const OnGpu<double> sums(backend, Shape{(count + kSquaresChunk - 1) / kSquaresChunk});
  backend.sum_squares(OnGpu<float>(backend, values).tensor, sums.tensor);
  return sums.read();
}

TEST_CASE("squares are summed chunk by chunk") {
  on_gpu([](Backend& backend) {
    for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1}, std::int64_t{37}, kSquaresChunk - 1,
                                     kSquaresChunk, 2 * kSquaresChunk + 5}) {
      CAPTURE(count);
      Host<float> values({count});
      std::vector<double> expected;
      for (std::int64_t i = 0; i < count; ++i) {
        values.data[static_cast<std::size_t>(i)] = static_cast<float>(i % 37);
        if (i % kSquaresChunk == 0) expected.push_back(0);
        expected.back() += static_cast<double>((i % 37) * (i % 37));
      }
      CHECK(sums_of_squares(backend, values) == expected);
    }
    const OnGpu<float> two_chunks(backend, Shape{kSquaresChunk + 1});
    const OnGpu<double> one(backend, Shape{1});
    CHECK_THROWS_AS(backend.sum_squares(two_chunks.tensor, one.tensor), Error);
  });
}

TEST_CASE("the sum of a chunk is not finite exactly if one of its values is not: the largest do not overflow it") {
  on_gpu([](Backend& backend) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    for (const float value : {kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN()}) {
      Host<float> values({3 * kSquaresChunk});
      for (float& each : values.data) each = std::numeric_limits<float>::max();
      values.data[kSquaresChunk + 77] = value;
      const std::vector<double> sums = sums_of_squares(backend, values);
      CHECK(std::isfinite(sums[0]));
      CHECK(!std::isfinite(sums[1]));
      CHECK(sums[2] == sums[0]);
    }
  });
}

TEST_CASE("the first value that is not finite is found") {
  on_gpu([](Backend& backend) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    for (const std::int64_t count : {0, 1, 255, 257, 10'000}) {
      Host<float> values({count});
      for (float& value : values.data) value = std::numeric_limits<float>::max();
      CHECK(backend.first_not_finite(OnGpu<float>(backend, values).tensor) == -1);
      // From the back, so that each one comes before all earlier ones.
      for (std::int64_t at : {9'999, 9'998, 5'000, 256, 254, 0}) {
        if (at >= count) continue;
        values.data[static_cast<std::size_t>(at)] = at % 3 == 0 ? kNan : at % 3 == 1 ? kInfinity : -kInfinity;
        CHECK(backend.first_not_finite(OnGpu<float>(backend, values).tensor) == at);
      }
    }
  });
}

TEST_CASE("sums of unlike tensors are refused") {
  const auto backend = gpu();
  const OnGpu<float> matrix(*backend, Shape{2, 3});
  const OnGpu<float> two(*backend, Shape{2});
  const OnGpu<double> three(*backend, Shape{3});
  CHECK_THROWS_AS(backend->sum_rows(matrix.tensor, two.tensor), Error);
  CHECK_THROWS_AS(backend->sum_rows(matrix.tensor, three.tensor), Error);
}

}  // namespace
}  // namespace lockstep
