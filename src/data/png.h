#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace lockstep {

struct PngSize {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t channels = 1;  // 1: grey; 3: red, green and blue
};

// The bytes of a PNG file (https://www.w3.org/TR/png) of 8 bits a channel. pixels: (height, width, channels). Pure.
// REQUIRES: width and height >= 1; as many pixels as `size` says.
std::string png_of(std::span<const std::byte> pixels, const PngSize& size);

}  // namespace lockstep
