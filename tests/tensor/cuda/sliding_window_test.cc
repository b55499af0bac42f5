#include "tensor/cuda/sliding_window.h"

#include <doctest/doctest.h>

namespace lockstep {
namespace {

TEST_CASE("an output's pixels and a pixel's outputs are the same pairs, whatever the window") {
  for (const int pixels : {1, 4, 9}) {
    for (const int outputs : {1, 3, 9}) {
      for (const int window : {1, 2, 5}) {
        for (const int stride : {1, 2, 3}) {
          for (const int before : {0, 1, 2}) {
            const SlidingAxis axis{pixels, outputs, window, stride, before};
            for (int output = 0; output < outputs; ++output) {
              for (int pixel = 0; pixel < pixels; ++pixel) {
                const int place = pixel + before - output * stride;
                const bool meets = 0 <= place && place < window;
                const auto has = [](const IndexSpan& span, int index) {
                  return span.begin <= index && index < span.end;
                };
                CHECK(has(axis.pixels_under(output), pixel) == meets);
                CHECK(has(axis.outputs_over(pixel), output) == meets);
              }
            }
          }
        }
      }
    }
  }
}

TEST_CASE("the identity is a window of one pixel that moves from pixel to pixel") {
  CHECK(SlidingAxis{.pixels = 5, .outputs = 5}.is_identity());
  CHECK(!SlidingAxis{.pixels = 5, .outputs = 4}.is_identity());
  CHECK(!SlidingAxis{.pixels = 5, .outputs = 5, .window = 2}.is_identity());
  CHECK(!SlidingAxis{.pixels = 5, .outputs = 5, .stride = 2}.is_identity());
  CHECK(!SlidingAxis{.pixels = 5, .outputs = 5, .before = 1}.is_identity());
}

TEST_CASE("padding is even where what comes after the pixels is what comes before, or is not reached") {
  CHECK(SlidingAxis{.pixels = 5, .outputs = 5, .window = 3, .before = 1}.pads_evenly());
  CHECK(SlidingAxis{.pixels = 5, .outputs = 3, .window = 3}.pads_evenly());
  CHECK(SlidingAxis{.pixels = 6, .outputs = 2, .window = 3, .stride = 2}.pads_evenly());  // the last one is unused
  CHECK(!SlidingAxis{.pixels = 6, .outputs = 3, .window = 3, .stride = 2}.pads_evenly());
  CHECK(!SlidingAxis{.pixels = 5, .outputs = 5, .window = 4, .before = 1}.pads_evenly());
  CHECK(!SlidingAxis{.pixels = 1, .outputs = 1, .window = 4, .stride = 2, .before = 1}.pads_evenly());
}

TEST_CASE("images with rows of 2^31 elements are refused") {
  const Tensor x(nullptr, DType::float32, {1, 1, std::int64_t{1} << 16, std::int64_t{1} << 15});
  const Tensor y(nullptr, DType::float32, {1, 1, 1, 1});
  CHECK_THROWS_WITH_AS(sliding_window({}, x, y, "pooling"), doctest::Contains("pooling of rows that large"), Error);
}

}  // namespace
}  // namespace lockstep
