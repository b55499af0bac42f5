#include "tensor/half_types.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

namespace lockstep {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Layout of a 16-bit pattern, by the definition of its type.
template <class Half>
struct Layout;
template <>
struct Layout<BFloat16> {
  static constexpr int kFractionBits = 7, kBias = 127;
};
template <>
struct Layout<Float16> {
  static constexpr int kFractionBits = 10, kBias = 15;
};

template <class Half>
float meaning(unsigned bits) {
  constexpr int kFractionBits = Layout<Half>::kFractionBits;
  constexpr int kExponents = 1 << (15 - kFractionBits);
  const float sign = bits >= 0x8000 ? -1 : 1;
  const int exponent = static_cast<int>(bits & 0x7fff) >> kFractionBits;
  const int fraction = static_cast<int>(bits) & ((1 << kFractionBits) - 1);
  if (exponent == kExponents - 1) return fraction == 0 ? sign * kInfinity : std::nanf("");
  const int whole = exponent == 0 ? fraction : fraction + (1 << kFractionBits);
  return sign * std::ldexp(static_cast<float>(whole), std::max(exponent, 1) - Layout<Half>::kBias - kFractionBits);
}

template <class Half>
void check_all_patterns() {
  int wrong = 0;
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const float value = widened(Half{static_cast<std::uint16_t>(bits)});
    const float expected = meaning<Half>(bits);
    const unsigned back = narrowed<Half>(value).bits;
    if (std::isnan(expected)) {
      wrong += std::isnan(value) && std::isnan(widened(Half{static_cast<std::uint16_t>(back)})) ? 0 : 1;
      wrong += (back ^ bits) >= 0x8000 ? 1 : 0;  // the sign is kept
    } else {
      wrong += value == expected && std::signbit(value) == std::signbit(expected) && back == bits ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
}

// Between any two neighbours of one sign: the middle rounds to the even one, numbers next to it to the nearer one.
template <class Half>
void check_rounding() {
  constexpr unsigned kInfinityBits = 0x7fffU >> Layout<Half>::kFractionBits << Layout<Half>::kFractionBits;
  int wrong = 0;
  for (unsigned bits = 0; bits < kInfinityBits; ++bits) {
    const double low = meaning<Half>(bits);
    const double step = bits + 1 == kInfinityBits ? low - meaning<Half>(bits - 1) : meaning<Half>(bits + 1) - low;
    const auto middle = static_cast<float>(low + step / 2);
    for (const unsigned sign : {0U, 0x8000U}) {
      const auto bits_of = [sign](float magnitude) -> unsigned {
        return narrowed<Half>(sign == 0 ? magnitude : -magnitude).bits;
      };
      wrong += bits_of(middle) == (sign | (bits + (bits & 1U))) ? 0 : 1;
      wrong += bits_of(std::nextafter(middle, 0.0F)) == (sign | bits) ? 0 : 1;
      wrong += bits_of(std::nextafter(middle, kInfinity)) == (sign | (bits + 1)) ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
}

template <class Half>
void check_extremes() {
  const auto through = [](float value) { return widened(narrowed<Half>(value)); };
  CHECK(through(kInfinity) == kInfinity);
  CHECK(through(-kInfinity) == -kInfinity);
  CHECK(through(std::numeric_limits<float>::max()) == kInfinity);
  CHECK(through(std::numeric_limits<float>::denorm_min()) == 0);
  CHECK(std::signbit(through(-std::numeric_limits<float>::denorm_min())));
  // NaNs whose only fraction bits are those that 16 bits lack.
  CHECK(std::isnan(through(std::bit_cast<float>(0x7f800001U))));
  CHECK(std::isnan(through(std::bit_cast<float>(0xff800001U))));
  CHECK(std::isnan(through(std::bit_cast<float>(0x7fffffffU))));
}

}  // namespace

TEST_CASE("every bfloat16 and float16 widens to its value and narrows to itself") {
  check_all_patterns<BFloat16>();
  check_all_patterns<Float16>();
}

TEST_CASE("narrowing rounds to nearest, ties to even, from zero to infinity") {
  check_rounding<BFloat16>();
  check_rounding<Float16>();
}

TEST_CASE("infinities, NaNs and what is out of range") {
  check_extremes<BFloat16>();
  check_extremes<Float16>();
}

}  // namespace lockstep
