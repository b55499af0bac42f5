#pragma once

#include <type_traits>

#include "base/multiversion.h"
#include "tensor/half_types.h"

namespace lockstep::cpu {

// A result as it is stored: itself, or rounded if the target is bfloat16.
template <class To, class T>
LS_INLINE To rounded_to(T value) {
  if constexpr (std::is_same_v<To, BFloat16>) {
    return narrowed<BFloat16>(value);
  } else {
    return value;
  }
}

}  // namespace lockstep::cpu
