#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tensor/backend.h"

// Convolutions and poolings with which every backend is tested, including odd shapes and empty ones.
namespace lockstep {

struct ImageCase {
  std::int64_t batch, height, width, channels, filters, kernel_height, kernel_width, stride_y, stride_x;
  bool same;
};

inline WindowForm window_of(const ImageCase& k, std::int64_t& out_height, std::int64_t& out_width) {
  WindowForm window{.height = k.kernel_height, .width = k.kernel_width, .stride_y = k.stride_y, .stride_x = k.stride_x};
  if (!k.same) {
    out_height = (k.height - k.kernel_height) / k.stride_y + 1;
    out_width = (k.width - k.kernel_width) / k.stride_x + 1;
    return window;
  }
  out_height = (k.height + k.stride_y - 1) / k.stride_y;
  out_width = (k.width + k.stride_x - 1) / k.stride_x;
  window.top = std::max<std::int64_t>(0, (out_height - 1) * k.stride_y + k.kernel_height - k.height) / 2;
  window.left = std::max<std::int64_t>(0, (out_width - 1) * k.stride_x + k.kernel_width - k.width) / 2;
  return window;
}

inline const std::vector<ImageCase> kConvolutionCases{
    {1, 1, 1, 1, 1, 1, 1, 1, 1, false},     {3, 1, 1, 3, 7, 3, 3, 1, 1, true},
    {1, 5, 7, 1, 1, 3, 3, 1, 1, false},     {3, 5, 7, 3, 7, 3, 3, 1, 1, false},
    {3, 5, 7, 5, 16, 3, 3, 1, 1, true},     {1, 9, 4, 1, 16, 3, 1, 2, 3, false},
    {3, 9, 4, 3, 1, 1, 3, 3, 2, true},      {2, 13, 11, 16, 7, 5, 5, 2, 2, true},
    {3, 8, 8, 5, 7, 2, 4, 2, 1, true},      {1, 4, 4, 3, 16, 4, 4, 1, 1, false},
    {2, 6, 5, 32, 64, 3, 3, 1, 1, false},   {3, 7, 7, 17, 33, 3, 3, 2, 2, true},
    {3, 28, 28, 1, 32, 3, 3, 1, 1, false},  {2, 28, 28, 1, 32, 5, 5, 1, 1, true},
    {2, 13, 13, 32, 64, 3, 3, 1, 1, false}, {2, 12, 12, 6, 16, 5, 5, 1, 1, false},
    {2, 16, 16, 16, 16, 3, 3, 1, 1, true},  {2, 8, 8, 16, 32, 1, 1, 2, 2, false},
    {0, 5, 7, 3, 7, 3, 3, 1, 1, true},      {0, 4, 4, 1, 1, 3, 3, 1, 1, false},
    {1, 3, 3, 3, 5, 5, 5, 1, 1, true},
};

inline const std::vector<ImageCase> kPoolingCases{
    {1, 1, 1, 1, 0, 1, 1, 1, 1, false}, {3, 4, 6, 3, 0, 2, 2, 2, 2, false},   {3, 5, 7, 5, 0, 2, 2, 2, 2, false},
    {1, 5, 7, 1, 0, 3, 3, 2, 2, true},  {3, 9, 4, 7, 0, 3, 2, 1, 1, false},   {2, 11, 11, 64, 0, 2, 2, 2, 2, false},
    {2, 6, 5, 67, 0, 3, 3, 3, 3, true}, {2, 8, 8, 130, 0, 2, 2, 3, 3, false}, {0, 4, 4, 3, 0, 2, 2, 2, 2, false},
    {2, 7, 5, 3, 0, 7, 5, 1, 1, false}, {1, 2, 2, 3, 0, 5, 5, 2, 2, true},    {3, 5, 7, 4, 0, 2, 2, 2, 2, true},
};

}  // namespace lockstep
