#pragma once

#include "tensor/shape.h"

namespace lockstep {

// Images are (height, width, channels) here, and (channels, height, width) in many programs that save them. Read in our
// order, (3, 32, 32) is an image of 3 x 32 pixels with 32 channels, which trains without an error, and badly. Returns
// whether a sample's shape looks so: 1, 3 or 4 in front and not at the end, followed by a square, or by no side below
// 8.
inline bool channels_seem_first(const Shape& image) {
  if (image.rank() != 3) return false;
  const auto few = [](std::int64_t extent) { return extent == 1 || extent == 3 || extent == 4; };
  if (!few(image[0]) || few(image[2])) return false;
  constexpr std::int64_t kSide = 8;
  return image[1] == image[2] || (image[1] >= kSide && image[2] >= kSide);
}

// The advice in this case, after "images of (3, 32, 32) ".
inline constexpr const char* kChannelsLastCure =
    "seem to have their channels first, and have to have them last: (height, width, channels). Save them again, in "
    "numpy "
    "inputs.transpose(0, 2, 3, 1), in every split; of images that really are this low, swap height and width, "
    "inputs.transpose(0, 2, 1, 3)";

}  // namespace lockstep
