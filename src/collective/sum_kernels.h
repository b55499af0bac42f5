#pragma once

#include <cstdint>
#include <span>

#include "tensor/dtype.h"

// Sums in host memory, for communicators. Any thread; no memory is taken; vectorised for the processor it runs on, with
// the same bits on all.
namespace lockstep {

// destinations[d][i] = the sum over s of sources[s][i], added in the order of s, for all i below count. uint8 modulo
// 256; the 16-bit types are added in float32 and rounded once, at the end, to nearest even. One source is copied.
// Destinations may be among the sources, but no two arrays may overlap otherwise.
// REQUIRES: summable(dtype), at least one source, arrays aligned to their elements.
void sum_into(DType dtype, std::span<const void* const> sources, std::span<void* const> destinations,
              std::int64_t count);

}  // namespace lockstep
