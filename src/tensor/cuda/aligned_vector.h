#pragma once

#include <device_code.h>

namespace lockstep {

// A few neighbouring values, which are read or written by one instruction. REQUIRES: a place that is a multiple of
// their size, of at most 16 bytes.
template <class T, int kCount>
struct alignas(kCount * sizeof(T)) AlignedVector {
  T at[kCount];

  __device__ static AlignedVector load(const T* from) { return *reinterpret_cast<const AlignedVector*>(from); }
  __device__ void store(T* to) const { *reinterpret_cast<AlignedVector*>(to) = *this; }
};

}  // namespace lockstep
