#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "base/multiversion.h"

namespace lockstep::cpu {

// factor * gradient, rounded before it is used: inside the sums of an update the compiler would contract product and
// sum into one operation, and the bits would not be those of gradients that were scaled before. The bits of the product
// go through an exclusive or with a number that the compiler does not know, so it no longer sees a product; the number
// is zero, and the loop still vectorises.
template <class T>
class ScaledGradient {
 public:
  LS_INLINE explicit ScaledGradient(double factor) : factor_(static_cast<T>(factor)) {
    asm("" : "+r"(zero_));  // no instruction, but zero_ may be anything after it
  }
  LS_INLINE T operator()(T gradient) const {
    return std::bit_cast<T>(static_cast<Bits>(std::bit_cast<Bits>(gradient * factor_) ^ zero_));
  }

 private:
  using Bits = std::conditional_t<sizeof(T) == sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;

  T factor_;
  Bits zero_ = 0;
};

}  // namespace lockstep::cpu
