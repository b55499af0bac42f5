#include "tensor/cpu/pooling.h"

#include <algorithm>

#include "base/multiversion.h"
#include "tensor/cpu/generation.h"

namespace lockstep::cpu {
namespace {

namespace oldest {
using Lanes = FloatsOfRegister<4>::Type;
#include "tensor/cpu/pooling_loops.inc"
}  // namespace oldest

#if defined(__x86_64__) && !defined(__clang__)
namespace v3 {
using Lanes = FloatsOfRegister<8>::Type;
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
#include "tensor/cpu/pooling_loops.inc"
#pragma GCC pop_options
}  // namespace v3
namespace v4 {
using Lanes = FloatsOfRegister<16>::Type;
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4")
#include "tensor/cpu/pooling_loops.inc"
#pragma GCC pop_options
}  // namespace v4
#else
namespace v3 = oldest;
namespace v4 = oldest;
#endif

// Returns whether the windows tile the image from its top left corner, without gap, overlap or padding. Then each pixel
// under a window is written once.
bool tiles(const PoolingShape& s) {
  const WindowForm& w = s.window;
  return w.top == 0 && w.left == 0 && w.height == w.stride_y && w.width == w.stride_x &&
         s.out_height * w.stride_y <= s.height && s.out_width * w.stride_x <= s.width;
}

// Clears the rows below and the columns right of all windows.
template <class T>
void clear_uncovered(const PoolingShape& s, T* dx) {
  const std::int64_t rows = s.out_height * s.window.stride_y;
  const std::int64_t columns = s.out_width * s.window.stride_x;
  for (std::int64_t b = 0; b < s.batch; ++b) {
    T* image = dx + b * s.height * s.width * s.channels;
    for (std::int64_t row = 0; row < rows && columns < s.width; ++row) {
      std::fill_n(image + (row * s.width + columns) * s.channels, (s.width - columns) * s.channels, T{0});
    }
    std::fill_n(image + rows * s.width * s.channels, (s.height - rows) * s.width * s.channels, T{0});
  }
}

template <bool Tiles>
void pool_backward_f32(const PoolingShape& shape, const float* x, const float* y, const float* dy, float* dx) {
  switch (newest_generation()) {
    case Generation::v4:
      return v4::pool_backward<Tiles>(shape, x, y, dy, dx);
    case Generation::v3:
      return v3::pool_backward<Tiles>(shape, x, y, dy, dx);
    case Generation::oldest:
      return oldest::pool_backward<Tiles>(shape, x, y, dy, dx);
  }
}

}  // namespace

void pool(const PoolingShape& shape, const float* x, float* y) {
  switch (newest_generation()) {
    case Generation::v4:
      return v4::pool(shape, x, y);
    case Generation::v3:
      return v3::pool(shape, x, y);
    case Generation::oldest:
      return oldest::pool(shape, x, y);
  }
}
void pool(const PoolingShape& shape, const double* x, double* y) { oldest::pool(shape, x, y); }

void pool_backward(const PoolingShape& shape, const float* x, const float* y, const float* dy, float* dx) {
  if (tiles(shape)) {
    clear_uncovered(shape, dx);
    return pool_backward_f32<true>(shape, x, y, dy, dx);
  }
  std::fill_n(dx, shape.batch * shape.height * shape.width * shape.channels, 0.0F);
  pool_backward_f32<false>(shape, x, y, dy, dx);
}
void pool_backward(const PoolingShape& shape, const double* x, const double* y, const double* dy, double* dx) {
  std::fill_n(dx, shape.batch * shape.height * shape.width * shape.channels, 0.0);
  oldest::pool_backward<false>(shape, x, y, dy, dx);
}

}  // namespace lockstep::cpu
