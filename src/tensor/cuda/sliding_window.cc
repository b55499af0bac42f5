#include "tensor/cuda/sliding_window.h"

#include <fmt/format.h>

#include <limits>

namespace lockstep {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<int>::max();

SlidingAxis axis(std::int64_t pixels, std::int64_t outputs, std::int64_t window, std::int64_t stride,
                 std::int64_t before) {
  return {.pixels = static_cast<int>(pixels),
          .outputs = static_cast<int>(outputs),
          .window = static_cast<int>(window),
          .stride = static_cast<int>(stride),
          .before = static_cast<int>(before)};
}

}  // namespace

SlidingWindow sliding_window(const WindowForm& window, const Tensor& x, const Tensor& y, const char* operation) {
  const Shape& in = x.shape();
  const Shape& out = y.shape();
  LS_CHECK(in.rank() == 4 && out.rank() == 4 && in[0] == out[0],
           fmt::format("{} of {} into {}", operation, in.text(), out.text()));
  LS_CHECK(in[1] < kMost && in[2] * in[3] < kMost && out[1] < kMost && out[2] * out[3] < kMost,
           fmt::format("{} of rows that large: {} into {}", operation, in.text(), out.text()));
  return {.rows = axis(in[1], out[1], window.height, window.stride_y, window.top),
          .columns = axis(in[2], out[2], window.width, window.stride_x, window.left),
          .channels = static_cast<int>(in[3]),
          .batch = in[0]};
}

}  // namespace lockstep
