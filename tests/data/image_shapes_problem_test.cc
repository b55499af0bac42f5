#include "data/image_shapes_problem.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "data/problems.h"
#include "data/sample_values.h"
#include "support/check_error.h"

namespace lockstep {
namespace {

// Returns the mean image of a class over n samples.
std::vector<double> mean_image(const Problem& problem, int label, int n) {
  std::vector<double> mean(784);
  for (int i = 0; i < n; ++i) {
    const SampleValues sample = read_sample(problem, Split::train, 10 * i + label);
    for (std::size_t p = 0; p < mean.size(); ++p) mean[p] += static_cast<double>(sample.input[p]) / n;
  }
  return mean;
}

}  // namespace

TEST_CASE("it says what it is") {
  const auto problem = make_image_shapes({});
  CHECK(problem->shape().input == Shape{28, 28, 1});
  CHECK(problem->shape().target == ProblemShape::Target::class_label);
  CHECK(problem->shape().outputs == 10);
  CHECK(problem->count(Split::train) == 20000);
  CHECK(problem->count(Split::dev) == 2000);
  CHECK(problem->count(Split::test) == 4000);
}

TEST_CASE("a sample is a pure function of seed, split and number") {
  const auto problem = make_image_shapes({.data_dir = "", .seed = 1});
  const auto same = make_image_shapes({.data_dir = "", .seed = 1});
  const auto other = make_image_shapes({.data_dir = "", .seed = 2});
  for (const std::int64_t number : {0, 7, 1999}) {
    const SampleValues sample = read_sample(*problem, Split::train, number);
    CHECK(sample == read_sample(*same, Split::train, number));
    CHECK(sample == read_sample(*problem, Split::train, number));
    CHECK(sample.input != read_sample(*other, Split::train, number).input);
    CHECK(sample.input != read_sample(*problem, Split::dev, number).input);
    CHECK(sample.input != read_sample(*problem, Split::test, number).input);
    CHECK(sample.input != read_sample(*problem, Split::train, number + 10).input);
  }
}

// Checksums from our own implementation in Python: every run on this problem depends on these bits.
TEST_CASE("images stay what they are") {
  const auto problem = make_image_shapes({.data_dir = "", .seed = 1});
  const auto checksum = [&](Split split) {  // sum of pixel * (place + 1) over the first 100 images
    std::int64_t sum = 0;
    for (std::int64_t number = 0; number < 100; ++number) {
      const SampleValues sample = read_sample(*problem, split, number);
      for (std::size_t p = 0; p < sample.input.size(); ++p) {
        sum += std::lround(sample.input[p] * 255.0F) * static_cast<std::int64_t>(p + 1);
      }
    }
    return sum;
  };
  CHECK(checksum(Split::train) == 2051087160);
  CHECK(checksum(Split::test) == 2140079125);
}

TEST_CASE("every split has as many of each class, and pixels are whole grey values in [0, 1]") {
  const auto problem = make_image_shapes({});
  for (const Split split : {Split::train, Split::dev, Split::test}) {
    std::vector<std::int64_t> per_class(10);
    for (std::int64_t number = 0; number < problem->count(split); ++number) {
      const SampleValues sample = read_sample(*problem, split, number);
      ++per_class.at(static_cast<std::size_t>(sample.label));
      const bool grey = std::ranges::all_of(sample.input, [](float pixel) {
        const float value = std::round(pixel * 255.0F);
        return value >= 0 && value <= 255 && pixel == value / 255.0F;
      });
      REQUIRE(grey);
    }
    for (const std::int64_t count : per_class) CHECK(count == problem->count(split) / 10);
  }
}

// The mean images show the shapes, although position and size vary.
TEST_CASE("the shapes are what their names say") {
  const auto problem = make_image_shapes({});
  using Kind = ImageShapesProblem::Kind;
  const auto mean = [&](Kind kind) { return mean_image(*problem, static_cast<int>(kind), 500); };
  const auto at = [](const std::vector<double>& image, int row, int column) {
    return image[static_cast<std::size_t>(row) * 28 + static_cast<std::size_t>(column)];
  };
  const auto total = [](const std::vector<double>& image) { return std::accumulate(image.begin(), image.end(), 0.0); };

  const auto square = mean(Kind::square);
  const auto disc = mean(Kind::disc);
  const auto triangle = mean(Kind::triangle);
  CHECK(at(square, 14, 14) > at(square, 0, 0) + 0.3);
  CHECK(at(mean(Kind::ring), 14, 14) < at(disc, 14, 14) - 0.2);
  CHECK(at(mean(Kind::frame), 14, 14) < at(square, 14, 14) - 0.2);
  CHECK(total(square) > total(disc));
  CHECK(total(disc) > total(triangle));
  CHECK(at(triangle, 20, 7) > at(triangle, 7, 7) + 0.1);                   // wide at the bottom
  CHECK(at(mean(Kind::cross), 6, 6) > at(mean(Kind::plus), 6, 6) + 0.05);  // a plus leaves its corners empty

  // Horizontal bars change from row to row, not along a row.
  double along = 0;
  double across = 0;
  for (int i = 0; i < 100; ++i) {
    const auto lying = read_sample(*problem, Split::train, 10 * i + static_cast<int>(Kind::horizontal_bars)).input;
    const auto upright = read_sample(*problem, Split::train, 10 * i + static_cast<int>(Kind::vertical_bars)).input;
    for (std::size_t p = 0; p + 28 < lying.size(); ++p) {
      along += std::abs(lying[p] - lying[p + 1]) + std::abs(upright[p] - upright[p + 28]);
      across += std::abs(lying[p] - lying[p + 28]) + std::abs(upright[p] - upright[p + 1]);
    }
  }
  CHECK(along < 0.9 * across);
}

TEST_CASE("samples beyond the split are an internal error") {
  const auto problem = make_image_shapes({});
  check_error(ExitCode::internal, {"no such sample"}, [&] { read_sample(*problem, Split::test, 4000); });
  check_error(ExitCode::internal, {"no such sample"}, [&] { read_sample(*problem, Split::train, -1); });
}

}  // namespace lockstep
