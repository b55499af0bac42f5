#include "base/multiversion.h"
#include "tensor/cpu/kernels.h"
#include "tensor/half_types.h"

namespace lockstep::cpu {

LS_MULTIVERSION void convert(const float* from, BFloat16* __restrict to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = narrowed<BFloat16>(from[i]);
}
LS_MULTIVERSION void convert(const float* from, Float16* __restrict to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = narrowed<Float16>(from[i]);
}
LS_MULTIVERSION void convert(const BFloat16* from, float* __restrict to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = widened(from[i]);
}
LS_MULTIVERSION void convert(const Float16* from, float* __restrict to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = widened(from[i]);
}

}  // namespace lockstep::cpu
