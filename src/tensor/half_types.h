#pragma once

#include <bit>
#include <cstdint>

#include "base/multiversion.h"

namespace lockstep {

// The 16-bit types as they lie in memory. There is no arithmetic: values are widened to float, which is exact, and
// narrowed, which rounds to nearest, ties to even; too large a value becomes infinity, a NaN a quiet NaN of the same
// sign. The code has no branches and gives the same bits on every processor, so that loops over them vectorise.
struct BFloat16 {  // the upper half of a float
  std::uint16_t bits;
};
struct Float16 {  // IEEE 754 binary16: 5 bits of exponent, 10 of fraction
  std::uint16_t bits;
};

LS_INLINE constexpr float widened(BFloat16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

LS_INLINE constexpr float widened(Float16 value) {
  constexpr std::uint32_t kExponent = 0x7c00U << 13;     // the largest, of infinity and NaN, at its place in a float
  constexpr std::uint32_t kRebias = (127U - 15U) << 23;  // from an exponent of float16 to one of float
  constexpr std::uint32_t kSmallestNormal = 113U << 23;  // 2^-14
  const std::uint32_t sign = (value.bits & 0x8000U) << 16;
  const std::uint32_t magnitude = (value.bits & 0x7fffU) << 13;
  const std::uint32_t normal = magnitude + kRebias + (magnitude >= kExponent ? kRebias : 0U);
  // Below 2^-14 the fraction counts multiples of 2^-24: it goes after a leading one of 2^-14, which is then taken off.
  const auto subnormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude + kSmallestNormal) -
                                                      std::bit_cast<float>(kSmallestNormal));
  return std::bit_cast<float>(sign | (magnitude < (1U << 23) ? subnormal : normal));
}

template <class Half>
LS_INLINE constexpr Half narrowed(float value);

template <>
LS_INLINE constexpr BFloat16 narrowed<BFloat16>(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
  const std::uint32_t quiet = (bits >> 16) | 0x40U;
  return {static_cast<std::uint16_t>((bits & 0x7fffffffU) > 0x7f800000U ? quiet : rounded)};
}

template <>
LS_INLINE constexpr Float16 narrowed<Float16>(float value) {
  constexpr std::uint32_t kRebias = (127U - 15U) << 23;
  constexpr std::uint32_t kSmallestNormal = 113U << 23;  // 2^-14
  constexpr std::uint32_t kBeyond = 143U << 23;          // 2^16: infinity even before it is rounded
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  const std::uint32_t normal = (magnitude - kRebias + 0xfffU + ((magnitude >> 13) & 1U)) >> 13;
  // The addition rounds to multiples of 2^-24, which float16 counts below 2^-14.
  const std::uint32_t subnormal =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - std::bit_cast<std::uint32_t>(0.5F);
  const std::uint32_t not_finite = magnitude > 0x7f800000U ? 0x7e00U | ((magnitude >> 13) & 0x3ffU) : 0x7c00U;
  const std::uint32_t finite = magnitude < kSmallestNormal ? subnormal : normal;
  return {static_cast<std::uint16_t>(sign | (magnitude >= kBeyond ? not_finite : finite))};
}

}  // namespace lockstep
