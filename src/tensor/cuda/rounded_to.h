#pragma once

#include <type_traits>

#include <device_code.h>
#include "tensor/half_types.h"

namespace lockstep {

// A result as it is stored: itself, or rounded where the place is of bfloat16.
template <class To>
__device__ To rounded_to(float value) {
  if constexpr (std::is_same_v<To, BFloat16>) {
    return narrowed<BFloat16>(value);
  } else {
    return value;
  }
}

}  // namespace lockstep
