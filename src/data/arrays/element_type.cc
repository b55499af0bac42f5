#include "data/arrays/element_type.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/error.h"

namespace lockstep {
namespace {

// A half's bits, to distinguish it from uint16.
struct Half {
  std::uint16_t bits;
};

// Calls f with a value of the C++ type that stands for `type`.
template <class F>
auto with_type(ElementType type, const F& f) {
  switch (type) {
    case ElementType::int8:
      return f(std::int8_t{});
    case ElementType::int16:
      return f(std::int16_t{});
    case ElementType::int32:
      return f(std::int32_t{});
    case ElementType::int64:
      return f(std::int64_t{});
    case ElementType::uint8:
      return f(std::uint8_t{});
    case ElementType::uint16:
      return f(std::uint16_t{});
    case ElementType::uint32:
      return f(std::uint32_t{});
    case ElementType::uint64:
      return f(std::uint64_t{});
    case ElementType::float16:
      return f(Half{});
    case ElementType::float32:
      return f(float{});
    case ElementType::float64:
      return f(double{});
  }
  fail(LS_HERE("with_type"), "no such element type");
}

template <class T>
std::span<const T> elements(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

float as_float(float value) { return value; }
float as_float(double value) { return static_cast<float>(value); }
float as_float(Half value) { return half_to_float(value.bits); }
float as_float(std::uint8_t value) { return static_cast<float>(value) / 255.0F; }

// Has no branch per element: most arrays are sound, and this runs over all of them.
template <class T>
bool all_finite(std::span<const T> values) {
  constexpr auto kMaxFloat = std::numeric_limits<float>::max();
  bool finite = true;
  for (const T& value : values) finite &= std::abs(as_float(value)) <= kMaxFloat;
  return finite;
}

}  // namespace

const char* name(ElementType type) {
  constexpr const char* kNames[] = {"int8",   "int16",  "int32",   "int64",   "uint8",  "uint16",
                                    "uint32", "uint64", "float16", "float32", "float64"};
  return kNames[static_cast<std::size_t>(type)];
}

std::size_t size_of(ElementType type) {
  return with_type(type, [](auto value) { return sizeof(value); });
}

bool is_float(ElementType type) { return type >= ElementType::float16; }

void to_floats(ElementType type, std::span<const std::byte> bytes, std::span<float> values) {
  LS_CHECK(bytes.size() == values.size() * size_of(type), "as many elements as values");
  with_type(type, [&](auto example) {
    using T = decltype(example);
    if constexpr (std::is_same_v<T, std::uint8_t> || !std::is_integral_v<T>) {
      std::ranges::transform(elements<T>(bytes), values.begin(), [](T value) { return as_float(value); });
    } else {
      fail(LS_HERE("to_floats"), "inputs are uint8 or floats");
    }
  });
}

std::optional<std::int64_t> integer_at(ElementType type, std::span<const std::byte> bytes, std::size_t element) {
  return with_type(type, [&](auto example) -> std::optional<std::int64_t> {
    using T = decltype(example);
    if constexpr (std::is_integral_v<T>) {
      const T value = elements<T>(bytes)[element];
      if constexpr (std::is_same_v<T, std::uint64_t>) {
        if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
      }
      return static_cast<std::int64_t>(value);
    } else {
      fail(LS_HERE("integer_at"), "labels are integers");
    }
  });
}

std::optional<std::size_t> first_not_finite(ElementType type, std::span<const std::byte> bytes) {
  return with_type(type, [&](auto example) -> std::optional<std::size_t> {
    using T = decltype(example);
    if constexpr (!std::is_integral_v<T>) {
      const std::span<const T> values = elements<T>(bytes);
      if (all_finite(values)) return std::nullopt;
      const auto found = std::ranges::find_if(values, [](T value) { return !std::isfinite(as_float(value)); });
      return static_cast<std::size_t>(found - values.begin());
    }
    return std::nullopt;
  });
}

void swap_byte_order(ElementType type, std::span<std::byte> bytes) {
  const std::size_t size = size_of(type);
  for (std::size_t at = 0; at + size <= bytes.size(); at += size) std::ranges::reverse(bytes.subspan(at, size));
}

float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t{half & 0x8000U} << 16;
  const std::uint32_t exponent = half >> 10 & 0x1FU;
  const std::uint32_t mantissa = half & 0x3FFU;
  if (exponent == 0) {  // zero, or a subnormal: mantissa * 2^-24
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
    return sign == 0 ? magnitude : -magnitude;
  }
  // Infinity and NaN keep the largest exponent; for the others the bias changes from 15 to 127.
  const std::uint32_t wide = exponent == 0x1F ? 0xFFU : exponent + (127 - 15);
  return std::bit_cast<float>(sign | wide << 23 | mantissa << 13);
}

}  // namespace lockstep
