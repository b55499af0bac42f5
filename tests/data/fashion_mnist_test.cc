#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "data/problems.h"

// The real data set, if there is a copy next to the source tree; its absence is reported and fails no test, since other
// tests cover the reader. Expected numbers were counted by a Python script over the four official files.
namespace lockstep {
namespace {

struct Facts {
  std::vector<std::int32_t> first_labels;
  std::int64_t per_class;
  std::int64_t pixel_sum;
  std::int64_t place_sum;  // sum of pixel * its place in its image
};

void check_split(const Problem& problem, Split split, const Facts& facts) {
  std::vector<float> input(784);
  std::array<std::int64_t, 10> per_class{};
  std::int64_t pixel_sum = 0;
  std::int64_t place_sum = 0;
  REQUIRE(problem.count(split) == 10 * facts.per_class);
  for (std::int64_t sample = 0; sample < problem.count(split); ++sample) {
    std::int32_t label = -1;
    problem.read(split, sample, {.input = input, .label = &label, .target = {}});
    if (sample < std::ssize(facts.first_labels)) CHECK(label == facts.first_labels[static_cast<std::size_t>(sample)]);
    ++per_class.at(static_cast<std::size_t>(label));
    for (std::size_t p = 0; p < input.size(); ++p) {
      const auto pixel = static_cast<std::int64_t>(std::lround(input[p] * 255.0F));
      pixel_sum += pixel;
      place_sum += pixel * static_cast<std::int64_t>(p);
    }
  }
  CHECK(pixel_sum == facts.pixel_sum);
  CHECK(place_sum == facts.place_sum);
  for (const std::int64_t count : per_class) CHECK(count == facts.per_class);
}

}  // namespace

TEST_CASE("Fashion-MNIST is read whole and right") {
  const std::string folder = std::string(LOCKSTEP_SHARED_DIR) + "/data/fashion-mnist";
  if (!std::filesystem::exists(folder)) {
    MESSAGE("Fashion-MNIST does not lie in ", folder, ": only the reader's own tests ran");
    return;
  }
  const auto problem = make_image_fashion_mnist({.data_dir = folder});
  CHECK(problem->shape().input == Shape{28, 28, 1});
  CHECK(problem->count(Split::dev) == 0);
  check_split(
      *problem, Split::train,
      {.first_labels = {9, 0, 0, 3, 0}, .per_class = 6000, .pixel_sum = 3431114169, .place_sum = 1410492084047});
  check_split(*problem, Split::test,
              {.first_labels = {9, 2, 1, 1, 6}, .per_class = 1000, .pixel_sum = 573469082, .place_sum = 236137034519});
}

}  // namespace lockstep
