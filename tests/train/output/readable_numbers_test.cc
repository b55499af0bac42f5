#include "train/output/readable_numbers.h"

#include <doctest/doctest.h>

#include <limits>

namespace lockstep {

TEST_CASE("shares and large numbers") {
  CHECK(percent(0.118) == "12 %");
  CHECK(thousands(0) == "0");
  CHECK(thousands(999) == "999");
  CHECK(thousands(84512.3) == "84,512");
  CHECK(thousands(-123456) == "-123,456");
  CHECK(thousands(1234567) == "1,234,567");
}

TEST_CASE("a number has the four digits that a person reads") {
  CHECK(rounded(0) == "0");
  CHECK(rounded(0.30000000000000004) == "0.3");
  CHECK(rounded(2.302585) == "2.303");
  CHECK(rounded(-0.000123456) == "-0.0001235");
  CHECK(rounded(1e-10) == "1e-10");
  CHECK(rounded(9999.4) == "9999");
  CHECK(rounded(9999.5) == "10,000");
  CHECK(rounded(-84512.3) == "-84,512");
  CHECK(rounded(1.23456e12) == "1.235e+12");
  CHECK(rounded(std::numeric_limits<double>::quiet_NaN()) == "not finite");
  CHECK(rounded(-std::numeric_limits<double>::infinity()) == "not finite");
}

TEST_CASE("a time has its two largest units") {
  CHECK(duration_text(0) == "0.0s");
  CHECK(duration_text(-3) == "0.0s");
  CHECK(duration_text(42.04) == "42.0s");
  CHECK(duration_text(59.94) == "59.9s");
  CHECK(duration_text(59.96) == "1m00s");
  CHECK(duration_text(185) == "3m05s");
  CHECK(duration_text(3599.6) == "1h00m");
  CHECK(duration_text(3725) == "1h02m");
  CHECK(duration_text(47 * 3600) == "47h00m");
  CHECK(duration_text(51 * 3600) == "2d03h");
  CHECK(duration_text(1e300) == "11574074074d01h");
  CHECK(duration_text(std::numeric_limits<double>::quiet_NaN()) == "0.0s");
}

}  // namespace lockstep
