#include "data/arrays/element_type.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/check_error.h"

namespace lockstep {
namespace {

template <class T>
std::span<const std::byte> raw(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

template <class T>
std::vector<float> floats(ElementType type, const std::vector<T>& values) {
  std::vector<float> result(values.size());
  to_floats(type, raw(values), result);
  return result;
}

}  // namespace

TEST_CASE("names and sizes are numpy's") {
  CHECK(std::string(name(ElementType::int8)) == "int8");
  CHECK(std::string(name(ElementType::uint64)) == "uint64");
  CHECK(std::string(name(ElementType::float16)) == "float16");
  CHECK(size_of(ElementType::float16) == 2);
  CHECK(size_of(ElementType::uint64) == 8);
  CHECK(size_of(ElementType::int8) == 1);
  CHECK(is_float(ElementType::float16));
  CHECK_FALSE(is_float(ElementType::uint64));
}

TEST_CASE("bytes become value / 255, floats stay what they are") {
  CHECK(floats(ElementType::uint8, std::vector<std::uint8_t>{0, 51, 255}) == std::vector<float>{0.0F, 0.2F, 1.0F});
  CHECK(floats(ElementType::float32, std::vector<float>{-0.5F, 1e30F}) == std::vector<float>{-0.5F, 1e30F});
  CHECK(floats(ElementType::float64, std::vector<double>{0.1, -3}) == std::vector<float>{0.1F, -3.0F});
  check_error(ExitCode::internal, {"uint8 or floats"},
              [] { floats(ElementType::int32, std::vector<std::int32_t>{1}); });
}

// Every half is mantissa * 2^exponent by the standard's definition (IEEE 754, section 3.4).
TEST_CASE("all halves are read exactly") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const int exponent = static_cast<int>(bits >> 10 & 0x1F);
    const int mantissa = static_cast<int>(bits & 0x3FF);
    const float value = half_to_float(static_cast<std::uint16_t>(bits));
    if (exponent == 31) {
      REQUIRE((mantissa == 0 ? std::isinf(value) : std::isnan(value)));
    } else {
      const double expected =
          exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 15 - 10);
      REQUIRE(std::abs(value) == static_cast<float>(expected));
    }
    REQUIRE(std::signbit(value) == (bits >= 0x8000));
  }
}

TEST_CASE("integers of every type") {
  CHECK(integer_at(ElementType::int8, raw(std::vector<std::int8_t>{0, -128}), 1) == -128);
  CHECK(integer_at(ElementType::uint16, raw(std::vector<std::uint16_t>{65535}), 0) == 65535);
  CHECK(integer_at(ElementType::int64, raw(std::vector<std::int64_t>{-5}), 0) == -5);
  const auto most = std::numeric_limits<std::uint64_t>::max();
  CHECK(integer_at(ElementType::uint64, raw(std::vector<std::uint64_t>{most >> 1}), 0) ==
        std::numeric_limits<std::int64_t>::max());
  CHECK_FALSE(integer_at(ElementType::uint64, raw(std::vector<std::uint64_t>{most}), 0).has_value());
}

TEST_CASE("the first value that is no number is found") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK_FALSE(first_not_finite(ElementType::float32, raw(std::vector<float>{1, -3e38F, 0})).has_value());
  CHECK(first_not_finite(ElementType::float32, raw(std::vector<float>{1, 2, nan, infinity})) == 2);
  CHECK(first_not_finite(ElementType::float32, raw(std::vector<float>{-infinity, nan})) == 0);
  CHECK(first_not_finite(ElementType::float64, raw(std::vector<double>{1, 1e300})) == 1);  // no float32
  CHECK(first_not_finite(ElementType::float16, raw(std::vector<std::uint16_t>{0x3C00, 0xFC00})) == 1);
  CHECK_FALSE(first_not_finite(ElementType::uint8, raw(std::vector<std::uint8_t>{255})).has_value());
}

TEST_CASE("bytes are turned round") {
  std::vector<std::uint16_t> values = {0x0102, 0xFF00};
  swap_byte_order(ElementType::uint16, std::as_writable_bytes(std::span(values)));
  CHECK(values == std::vector<std::uint16_t>{0x0201, 0x00FF});
}

}  // namespace lockstep
