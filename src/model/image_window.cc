#include "model/image_window.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep {
namespace {

struct Axis {
  std::int64_t outputs;
  std::int64_t before;
};

// `same` pads as much as ceil(extent / stride) windows need, with the odd row at the end.
Axis place(std::int64_t extent, std::int64_t window, std::int64_t stride, Padding padding) {
  if (padding == Padding::valid) return {.outputs = (extent - window) / stride + 1, .before = 0};
  const std::int64_t outputs = (extent + stride - 1) / stride;
  const std::int64_t padded = std::max<std::int64_t>(0, (outputs - 1) * stride + window - extent);
  return {.outputs = outputs, .before = padded / 2};
}

}  // namespace

ImageWindow place_window(const std::string& layer, const Shape& input, WindowForm window, Padding padding) {
  if (input.rank() != 3 || input.elements() == 0) {
    throw Error(ExitCode::configuration,
                fmt::format("{} needs images (height, width, channels) and gets {} for each sample; put it in front "
                            "of the layers that flatten, or use a model for inputs of this shape",
                            layer, input.text()),
                Scope::every_rank);
  }
  if (padding == Padding::valid && (input[0] < window.height || input[1] < window.width)) {
    throw Error(ExitCode::configuration,
                fmt::format("{} has a window of {} x {}, which does not fit into images {} without padding; use "
                            "padding 'same', a smaller window, or fewer layers that shrink the image in front",
                            layer, window.height, window.width, input.text()),
                Scope::every_rank);
  }
  const Axis rows = place(input[0], window.height, window.stride_y, padding);
  const Axis columns = place(input[1], window.width, window.stride_x, padding);
  window.top = rows.before;
  window.left = columns.before;
  return {.window = window, .out_height = rows.outputs, .out_width = columns.outputs};
}

}  // namespace lockstep
