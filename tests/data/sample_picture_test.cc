#include "data/sample_picture.h"

#include <doctest/doctest.h>

#include <span>
#include <vector>

#include "data/png.h"
#include "support/given_problem.h"

namespace lockstep {
namespace {

// Sample i has the values i, i + step, i + 2 step, ...
GivenProblem ramp(Shape input, float step) {
  const auto read = [step](Split, std::int64_t sample, const SampleSlot& slot) {
    float value = static_cast<float>(sample);
    for (float& one : slot.input) {
      one = value;
      value += step;
    }
    *slot.label = 1;
  };
  return GivenProblem({.shape = {.input = input, .outputs = 10}, .test = 100, .read = read});
}

std::string picture_of(Shape input, float step) { return sample_picture(ramp(input, step), Split::test, 7); }

std::string png(const std::vector<int>& pixels, const PngSize& size) {
  std::vector<std::byte> bytes;
  for (const int pixel : pixels) bytes.push_back(static_cast<std::byte>(pixel));
  return png_of(bytes, size);
}

}  // namespace

TEST_CASE("a picture goes from black to white, whatever its values are") {
  const PngSize size{.width = 2, .height = 3};
  CHECK(picture_of({3, 2, 1}, 1) == png({0, 51, 102, 153, 204, 255}, size));
  CHECK(picture_of({3, 2, 1}, -1000) == png({255, 204, 153, 102, 51, 0}, size));
  CHECK(picture_of({3, 2, 1}, 0) == png({0, 0, 0, 0, 0, 0}, size));
  CHECK(picture_of({1, 2, 3}, 1) == png({0, 51, 102, 153, 204, 255}, {.width = 2, .height = 1, .channels = 3}));
}

TEST_CASE("of a large picture pixels are left out") {
  std::vector<int> pixels(64);
  for (int x = 0; x < 64; ++x) pixels[static_cast<std::size_t>(x)] = 4 * x;
  CHECK(picture_of({1, 256, 1}, 1) == png(pixels, {.width = 64, .height = 1}));
  CHECK(picture_of({65, 1, 1}, 0) == png(std::vector<int>(33), {.width = 1, .height = 33}));
}

TEST_CASE("one or three channels are a picture, other inputs are none") {
  CHECK(has_pictures({.input = {28, 28, 1}}));
  CHECK(has_pictures({.input = {28, 28, 3}}));
  for (const Shape& input :
       {Shape{}, Shape{784}, Shape{28, 28}, Shape{28, 28, 2}, Shape{0, 28, 1}, Shape{1, 2, 3, 1}}) {
    CHECK(!has_pictures({.input = input}));
  }
  CHECK(!has_pictures({.sample = ProblemShape::Sample::sequence, .input = {28, 28, 1}}));
  CHECK(!has_pictures({.input = {28, 28, 1}, .input_type = DType::int32}));
}

}  // namespace lockstep
