#pragma once

#include <string>

#include "model/layers.h"
#include "tensor/backend.h"

namespace lockstep {

// A layer's window on images of one shape, and the rows and columns of the output.
struct ImageWindow {
  WindowForm window;
  std::int64_t out_height;
  std::int64_t out_width;
};

// Adds the padding to `window` (extents and strides are given) for images (H, W, C). `layer` names the layer in
// messages. Throws Error(configuration) if the input is not an image, or smaller than the window without padding.
ImageWindow place_window(const std::string& layer, const Shape& input, WindowForm window, Padding padding);

}  // namespace lockstep
