#pragma once

#include <string>

#include "model/layers.h"
#include "tensor/backend.h"

namespace lockstep {

// How a layer's window slides over images of one shape, and how many rows and columns come out.
struct ImageWindow {
  Window window;
  std::int64_t out_height;
  std::int64_t out_width;
};

// Fills in the padding of `window` (extents and strides are given) for images (H, W, C). `layer` names the layer in
// messages. Throws Error(configuration): the input is not an image, or smaller than the window without padding.
ImageWindow place_window(const std::string& layer, const Shape& input, Window window, Padding padding);

}  // namespace lockstep
