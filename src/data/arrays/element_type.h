#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace lockstep {

// Element type of a stored array, in this machine's byte order. The names are numpy's.
enum class ElementType : std::uint8_t {
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  float32,
  float64,
};

const char* name(ElementType type);
std::size_t size_of(ElementType type);  // bytes of one element
bool is_float(ElementType type);

// Bytes are whole elements, aligned for their type; as many as `values` is long. Any thread may call these.

// Converts uint8 to value / 255, and floats to float32 (float64 is rounded). REQUIRES: uint8 or a float type.
void to_floats(ElementType type, std::span<const std::byte> bytes, std::span<float> values);

// An integer element; none if it does not fit int64. REQUIRES: an integer type.
std::optional<std::int64_t> integer_at(ElementType type, std::span<const std::byte> bytes, std::size_t element);

// The first element that float32 cannot hold as a finite number (NaN, infinity, a float64 beyond its range), if any.
std::optional<std::size_t> first_not_finite(ElementType type, std::span<const std::byte> bytes);

// Reverses the bytes of each element: from the other byte order to this machine's.
void swap_byte_order(ElementType type, std::span<std::byte> bytes);

// IEEE 754 binary16 as float32, exactly.
float half_to_float(std::uint16_t half);

}  // namespace lockstep
