#include "tensor/cpu/layer_norm.h"

#include <algorithm>
#include <cmath>

#include "base/multiversion.h"
#include "tensor/cpu/norm_chunks.h"

namespace lockstep::cpu {
namespace {

namespace layer_norm_oldest {
using Lanes = FloatsOfRegister<4>::Type;
#include "tensor/cpu/layer_norm_rows.inc"
}  // namespace layer_norm_oldest

#if defined(__x86_64__) && !defined(__clang__)
namespace layer_norm_v3 {
using Lanes = FloatsOfRegister<8>::Type;
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
#include "tensor/cpu/layer_norm_rows.inc"
#pragma GCC pop_options
}  // namespace layer_norm_v3
namespace layer_norm_v4 {
using Lanes = FloatsOfRegister<16>::Type;
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4")
#include "tensor/cpu/layer_norm_rows.inc"
#pragma GCC pop_options
}  // namespace layer_norm_v4
#else
namespace layer_norm_v3 = layer_norm_oldest;
namespace layer_norm_v4 = layer_norm_oldest;
#endif

template <class To>
void forward_of(Generation generation, std::int64_t rows, std::int64_t channels, double epsilon, const float* x,
                const float* scale, const float* shift, To* y, float* mean, float* inverse_stddev) {
  switch (generation) {
    case Generation::v4:
      return layer_norm_v4::forward(rows, channels, epsilon, x, scale, shift, y, mean, inverse_stddev);
    case Generation::v3:
      return layer_norm_v3::forward(rows, channels, epsilon, x, scale, shift, y, mean, inverse_stddev);
    case Generation::oldest:
      return layer_norm_oldest::forward(rows, channels, epsilon, x, scale, shift, y, mean, inverse_stddev);
  }
}

}  // namespace

void layer_norm(std::int64_t rows, std::int64_t channels, double epsilon, const float* x, const float* scale,
                const float* shift, float* y, float* mean, float* inverse_stddev, Generation generation) {
  forward_of(generation, rows, channels, epsilon, x, scale, shift, y, mean, inverse_stddev);
}
void layer_norm(std::int64_t rows, std::int64_t channels, double epsilon, const float* x, const float* scale,
                const float* shift, BFloat16* y, float* mean, float* inverse_stddev, Generation generation) {
  forward_of(generation, rows, channels, epsilon, x, scale, shift, y, mean, inverse_stddev);
}

void layer_norm_backward(std::int64_t rows, std::int64_t channels, const float* x, const float* scale,
                         const float* mean, const float* inverse_stddev, const float* dy, float* dx, float* dscale,
                         float* dshift, Generation generation) {
  switch (generation) {
    case Generation::v4:
      return layer_norm_v4::backward(rows, channels, x, scale, mean, inverse_stddev, dy, dx, dscale, dshift);
    case Generation::v3:
      return layer_norm_v3::backward(rows, channels, x, scale, mean, inverse_stddev, dy, dx, dscale, dshift);
    case Generation::oldest:
      return layer_norm_oldest::backward(rows, channels, x, scale, mean, inverse_stddev, dy, dx, dscale, dshift);
  }
}

}  // namespace lockstep::cpu
