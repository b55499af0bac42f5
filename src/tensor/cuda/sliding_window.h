#pragma once

#include <cstdint>

#include "tensor/backend.h"

// A window that slides along the rows, or along the columns, of an image. Plain values, for the host and for kernels.
namespace lockstep {

struct IndexSpan {
  int begin = 0;
  int end = 0;

  constexpr int count() const { return end > begin ? end - begin : 0; }
};

struct SlidingAxis {
  int pixels = 0;
  int outputs = 0;
  int window = 1;
  int stride = 1;
  int before = 0;  // pixels of padding

  // The pixels of the image under the window of an output.
  constexpr IndexSpan pixels_under(int output) const {
    const int begin = output * stride - before;
    const int end = begin + window;
    return {.begin = begin > 0 ? begin : 0, .end = end < pixels ? end : pixels};
  }
  // The outputs whose windows contain a pixel.
  constexpr IndexSpan outputs_over(int pixel) const {
    const int last = (pixel + before) / stride + 1;
    return {.begin = pixel + before < window ? 0 : (pixel + before - window) / stride + 1,
            .end = last < outputs ? last : outputs};
  }
  // Returns whether there is as much padding after the pixels as before them, as far as windows reach.
  constexpr bool pads_evenly() const {
    const int most = pixels + 2 * before - window;  // the last place where a window may begin
    return most >= 0 && outputs == most / stride + 1;
  }
  // Returns whether each output sees the pixel of its own place, and nothing else.
  constexpr bool is_identity() const { return window == 1 && stride == 1 && before == 0 && outputs == pixels; }
};

// A window over images (batch, rows.pixels, columns.pixels, channels).
struct SlidingWindow {
  SlidingAxis rows;
  SlidingAxis columns;
  int channels = 0;
  std::int64_t batch = 0;

  // Elements of a row of an image.
  constexpr int row() const { return columns.pixels * channels; }
  constexpr std::int64_t image() const { return std::int64_t{rows.pixels} * row(); }
  constexpr bool pads_evenly() const { return rows.pads_evenly() && columns.pads_evenly(); }
  constexpr std::int64_t outputs() const { return batch * rows.outputs * columns.outputs; }
};

// A window from x (B, H, W, C) to y (B, OH, OW, ...). `operation` is for the message. REQUIRES: images whose rows have
// fewer than 2^31 elements.
SlidingWindow sliding_window(const WindowForm& window, const Tensor& x, const Tensor& y, const char* operation);

}  // namespace lockstep
