#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "base/error.h"
#include "tensor/cpu/cpu_backend.h"
#include "tensor/cuda/gpu_under_test.h"
#include "tensor/half_types.h"

namespace lockstep {
namespace {

constexpr std::int64_t kSizes[] = {0, 1, 255, 256, 257, 1037, 100'003};

TEST_CASE("sums and multiples are the CPU's, bit for bit, also in place") {
  const auto cpu = make_cpu_backend();
  on_gpu([&](Backend& backend) {
    for (const std::int64_t count : kSizes) {
      CAPTURE(count);
      Host<float> a({count}, 1);
      Host<float> b({count}, 2);
      Host<float> expected({count});
      cpu->add(a.tensor(), b.tensor(), expected.tensor());
      const OnGpu<float> a_there(backend, a);
      const OnGpu<float> b_there(backend, b);
      const OnGpu<float> sum(backend, a.shape);
      backend.add(a_there.tensor, b_there.tensor, sum.tensor);
      CHECK(sum.read() == expected.data);
      backend.add(b_there.tensor, a_there.tensor);
      CHECK(a_there.read() == expected.data);
      backend.add(b_there.tensor, b_there.tensor, b_there.tensor);
      cpu->scale(b.tensor(), 2);
      CHECK(b_there.read() == b.data);
      backend.scale(b_there.tensor, -0.3);
      cpu->scale(b.tensor(), -0.3);
      CHECK(b_there.read() == b.data);
    }
  });
}

// Both round the product and the sum, or only the sum, of numbers below 2.
TEST_CASE("a blend is within a rounding of the CPU's") {
  const auto cpu = make_cpu_backend();
  on_gpu([&](Backend& backend) {
    for (const std::int64_t count : kSizes) {
      Host<float> from({count}, 1);
      Host<float> to({count}, 2);
      const OnGpu<float> from_there(backend, from);
      const OnGpu<float> to_there(backend, to);
      backend.blend(from_there.tensor, to_there.tensor, 0.3);
      cpu->blend(from.tensor(), to.tensor(), 0.3);
      CHECK(largest_difference(to_there.read(), doubled(to).data) < 2e-7);
    }
  });
}

template <class Half>
void check_conversions(Backend& backend, std::int64_t count) {
  Host<float> from({count}, 1);
  if (count > 255) {
    const float infinity = std::numeric_limits<float>::infinity();
    const float special[] = {
        1 + 0x1p-8F, 1 + 0x3p-8F,     infinity, -infinity, std::numeric_limits<float>::max(),
        -0.0F,       0x1.234567p-16F, 65519,    65520,     std::numeric_limits<float>::quiet_NaN()};
    std::copy(std::begin(special), std::end(special), from.data.begin() + 200);
  }
  const OnGpu<float> from_there(backend, from);
  const OnGpu<Half> half(backend, from.shape);
  const OnGpu<float> back(backend, from.shape);
  backend.convert(from_there.tensor, half.tensor);
  backend.convert(half.tensor, back.tensor);
  const std::vector<Half> narrow = half.read();
  const std::vector<float> wide = back.read();
  for (std::size_t i = 0; i < narrow.size(); ++i) {
    REQUIRE(narrow[i].bits == narrowed<Half>(from.data[i]).bits);
    const float expected = widened(narrow[i]);
    REQUIRE(std::memcmp(&wide[i], &expected, sizeof(float)) == 0);
  }
}

TEST_CASE("numbers become 16-bit ones by rounding to the nearest, ties to even, and wide again as they are") {
  on_gpu([](Backend& backend) {
    for (const std::int64_t count : kSizes) {
      check_conversions<BFloat16>(backend, count);
      check_conversions<Float16>(backend, count);
    }
  });
}

TEST_CASE("columns travel between matrices, the others stay") {
  struct Case {
    std::int64_t rows, from_width, from_column, to_width, to_column, columns;
  };
  const auto cpu = make_cpu_backend();
  on_gpu([&](Backend& backend) {
    for (const Case& c :
         {Case{2, 3, 1, 4, 2, 2}, Case{2, 3, 0, 4, 0, 0}, Case{0, 3, 0, 4, 1, 3}, Case{1, 1, 0, 1, 0, 1},
          Case{300, 7, 2, 5, 1, 3}, Case{3, 2000, 17, 1500, 3, 1491}, Case{257, 64, 0, 128, 64, 64}}) {
      CAPTURE(c.rows);
      CAPTURE(c.columns);
      Host<float> from({c.rows, c.from_width}, 1);
      Host<float> to({c.rows, c.to_width}, 2);
      const OnGpu<float> from_there(backend, from);
      const OnGpu<float> to_there(backend, to);
      backend.copy_columns(from_there.tensor, c.from_column, to_there.tensor, c.to_column, c.columns);
      cpu->copy_columns(from.tensor(), c.from_column, to.tensor(), c.to_column, c.columns);
      CHECK(to_there.read() == to.data);
    }
  });
}

TEST_CASE("inputs are standardized channel by channel") {
  const auto cpu = make_cpu_backend();
  on_gpu([&](Backend& backend) {
    for (const Shape& shape : {Shape{0, 3}, Shape{1, 1}, Shape{1037, 1}, Shape{5, 7, 3}, Shape{33, 784}}) {
      CAPTURE(shape.text());
      const std::int64_t channels = shape[shape.rank() - 1];
      Host<float> x(shape, 1);
      Host<float> mean({channels}, 2);
      Host<float> stddev({channels}, 3);
      for (float& value : stddev.data) value += 2;
      Host<float> expected(shape);
      cpu->standardize(x.tensor(), mean.tensor(), stddev.tensor(), expected.tensor());
      const OnGpu<float> x_there(backend, x);
      const OnGpu<float> mean_there(backend, mean);
      const OnGpu<float> stddev_there(backend, stddev);
      const OnGpu<float> y(backend, shape);
      backend.standardize(x_there.tensor, mean_there.tensor, stddev_there.tensor, y.tensor);
      CHECK(y.read() == expected.data);
    }
  });
}

TEST_CASE("unlike tensors, and elements of another type, are internal errors") {
  const auto backend = gpu();
  const OnGpu<float> three(*backend, Shape{3});
  const OnGpu<float> four(*backend, Shape{4});
  const OnGpu<double> doubles(*backend, Shape{3});
  const OnGpu<float> matrix(*backend, Shape{2, 3});
  CHECK_THROWS_AS(backend->add(three.tensor, four.tensor), Error);
  CHECK_THROWS_AS(backend->add(three.tensor, four.tensor, three.tensor), Error);
  CHECK_THROWS_WITH_AS(backend->add(doubles.tensor, three.tensor),
                       doctest::Contains("of float64 where one of float32 is taken"), Error);
  CHECK_THROWS_AS(backend->blend(three.tensor, four.tensor, 1), Error);
  CHECK_THROWS_AS(backend->convert(three.tensor, three.tensor), Error);
  CHECK_THROWS_AS(backend->convert(doubles.tensor, three.tensor), Error);
  CHECK_THROWS_AS(backend->standardize(four.tensor, three.tensor, three.tensor, four.tensor), Error);
  CHECK_THROWS_WITH_AS(backend->copy_columns(matrix.tensor, 2, matrix.tensor, 0, 2),
                       doctest::Contains("2 columns from 2 of 3 to 0 of 3"), Error);
  CHECK_THROWS_AS(backend->copy_columns(matrix.tensor, 0, matrix.tensor, 2, 2), Error);
}

}  // namespace
}  // namespace lockstep
