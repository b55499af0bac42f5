#include <algorithm>

#include "tensor/cpu/convolution.h"

namespace lockstep::cpu {
namespace {

// Calls visit(x, kernel, y) with the offsets of a pixel's channels, a kernel position's (C, F) matrix and an output
// pixel's filters, wherever these three meet.
template <class Visit>
void for_each_meeting(const ConvolutionShape& s, Visit visit) {
  const WindowForm& w = s.window;
  for (std::int64_t b = 0; b < s.batch; ++b) {
    for (std::int64_t i = 0; i < s.out_height; ++i) {
      for (std::int64_t j = 0; j < s.out_width; ++j) {
        for (std::int64_t p = 0; p < w.height; ++p) {
          for (std::int64_t q = 0; q < w.width; ++q) {
            const std::int64_t row = i * w.stride_y + p - w.top;
            const std::int64_t column = j * w.stride_x + q - w.left;
            if (row < 0 || row >= s.height || column < 0 || column >= s.width) continue;
            visit(((b * s.height + row) * s.width + column) * s.channels, (p * w.width + q) * s.channels * s.filters,
                  ((b * s.out_height + i) * s.out_width + j) * s.filters);
          }
        }
      }
    }
  }
}

}  // namespace

void convolve(const ConvolutionShape& s, const double* x, const double* kernel, const double* bias, double* y) {
  const std::int64_t pixels = s.batch * s.out_height * s.out_width;
  for (std::int64_t pixel = 0; pixel < pixels; ++pixel) std::copy(bias, bias + s.filters, y + pixel * s.filters);
  for_each_meeting(s, [&](std::int64_t from, std::int64_t matrix, std::int64_t to) {
    for (std::int64_t c = 0; c < s.channels; ++c) {
      for (std::int64_t f = 0; f < s.filters; ++f) y[to + f] += x[from + c] * kernel[matrix + c * s.filters + f];
    }
  });
}

void convolve_backward_input(const ConvolutionShape& s, const double* dy, const double* kernel, double* dx) {
  std::fill_n(dx, s.batch * s.height * s.width * s.channels, 0.0);
  for_each_meeting(s, [&](std::int64_t to, std::int64_t matrix, std::int64_t from) {
    for (std::int64_t c = 0; c < s.channels; ++c) {
      for (std::int64_t f = 0; f < s.filters; ++f) dx[to + c] += dy[from + f] * kernel[matrix + c * s.filters + f];
    }
  });
}

void convolve_backward_kernel(const ConvolutionShape& s, const double* x, const double* dy, double* dkernel,
                              double* dbias) {
  std::fill_n(dkernel, s.window.height * s.window.width * s.channels * s.filters, 0.0);
  for_each_meeting(s, [&](std::int64_t x_pixel, std::int64_t matrix, std::int64_t y_pixel) {
    for (std::int64_t c = 0; c < s.channels; ++c) {
      for (std::int64_t f = 0; f < s.filters; ++f) {
        dkernel[matrix + c * s.filters + f] += x[x_pixel + c] * dy[y_pixel + f];
      }
    }
  });
  std::fill_n(dbias, s.filters, 0.0);
  for (std::int64_t pixel = 0; pixel < s.batch * s.out_height * s.out_width; ++pixel) {
    for (std::int64_t f = 0; f < s.filters; ++f) dbias[f] += dy[pixel * s.filters + f];
  }
}

}  // namespace lockstep::cpu
