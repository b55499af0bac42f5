#include "base/multiversion.h"
#include "tensor/cpu/layer_kernels.h"

namespace lockstep::cpu {
namespace {

template <class T>
LS_INLINE void blend_any(const T* __restrict from, T* __restrict to, T weight, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] += weight * (from[i] - to[i]);
}

}  // namespace

LS_MULTIVERSION void blend(const float* from, float* to, double weight, std::int64_t count) {
  blend_any(from, to, static_cast<float>(weight), count);
}
void blend(const double* from, double* to, double weight, std::int64_t count) { blend_any(from, to, weight, count); }

}  // namespace lockstep::cpu
