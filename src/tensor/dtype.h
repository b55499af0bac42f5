#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace lockstep {

struct BFloat16;  // tensor/half_types.h
struct Float16;

enum class DType : std::uint8_t { float32, float64, int32, int64, uint8, bfloat16, float16 };

const char* name(DType dtype);
std::size_t size_of(DType dtype);  // bytes of one element
bool summable(DType dtype);        // true if a Communicator adds up values of it

template <class T>
constexpr DType dtype_of() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, float>)
    return DType::float32;
  else if constexpr (std::is_same_v<U, double>)
    return DType::float64;
  else if constexpr (std::is_same_v<U, std::int32_t>)
    return DType::int32;
  else if constexpr (std::is_same_v<U, std::int64_t>)
    return DType::int64;
  else if constexpr (std::is_same_v<U, BFloat16>)
    return DType::bfloat16;
  else if constexpr (std::is_same_v<U, Float16>)
    return DType::float16;
  else {
    static_assert(std::is_same_v<U, std::uint8_t>, "no dtype for this type");
    return DType::uint8;
  }
}

}  // namespace lockstep
