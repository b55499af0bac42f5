#include "base/whole_number.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

namespace lockstep {

TEST_CASE("whole numbers: digits are taken off the front, or nothing is") {
  std::string_view text = "12x3";
  CHECK(take_digits<int>(text) == 12);
  CHECK(text == "x3");
  for (const char* none : {"", "x3", "-3", "+3", " 3", "99999999999"}) {
    text = none;
    CHECK_FALSE(take_digits<int>(text).has_value());
    CHECK(text == none);
  }
}

TEST_CASE("whole numbers: the whole text is one, with a sign or without") {
  CHECK(parse_digits<int>("007") == 7);
  CHECK(parse_whole<int>("-7") == -7);
  CHECK(parse_whole<std::int64_t>("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
  CHECK(parse_whole<std::int64_t>("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
  CHECK(parse_digits<std::uint64_t>("18446744073709551615") == std::numeric_limits<std::uint64_t>::max());
  for (const char* text : {"", "-", "+1", " 1", "1 ", "1.0", "1e3", "0x1", "--1", "9223372036854775808"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_whole<std::int64_t>(text).has_value());
    CHECK_FALSE(parse_digits<std::int64_t>(text).has_value());
  }
  CHECK_FALSE(parse_digits<int>("-0").has_value());
  CHECK_FALSE(parse_whole<unsigned>("-1").has_value());
}

}  // namespace lockstep
