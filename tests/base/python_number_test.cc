#include "base/python_number.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

using lockstep::parse_python_float;
using lockstep::parse_python_integer;
using Status = lockstep::PythonInteger::Status;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}

TEST_CASE("integers as Python's int() reads them") {
  const auto value = [](const char* text) {
    const auto parsed = parse_python_integer(text);
    CHECK(parsed.status == Status::valid);
    return parsed.value;
  };
  CHECK(value("7") == 7);
  CHECK(value(" \t\n\v\f\r7 ") == 7);
  CHECK(value("+7") == 7);
  CHECK(value("-7") == -7);
  CHECK(value("007") == 7);
  CHECK(value("0_1") == 1);
  CHECK(value("1_000_000") == 1000000);
  CHECK(value("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
  CHECK(value("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
  CHECK(parse_python_integer("9223372036854775808").status == Status::too_large);
  CHECK(parse_python_integer("-1_000_000_000_000_000_000_000").status == Status::too_large);
  for (const char* text :
       {"", " ", "+", "-", "_", "1_", "_1", "1__0", "+_1", "--1", "+-1", "-+1", "- 1", "1 0", "1.0", "1e3", "0x10",
        "\x1c"
        "7",
        "7a"}) {
    CAPTURE(text);
    CHECK(parse_python_integer(text).status == Status::malformed);
  }
}

TEST_CASE("numbers as Python's float() reads them") {
  CHECK(parse_python_float("1") == 1.0);
  CHECK(parse_python_float(" +.5 ") == 0.5);
  CHECK(parse_python_float("5.") == 5.0);
  CHECK(parse_python_float("-1.5e-3") == -1.5e-3);
  CHECK(parse_python_float("1_0.5_0e1_0") == 10.5e10);
  CHECK(parse_python_float("inf") == kInfinity);
  CHECK(parse_python_float("+INFINITY") == kInfinity);
  CHECK(parse_python_float("-Inf") == -kInfinity);
  CHECK(parse_python_float("1e400") == kInfinity);
  CHECK(parse_python_float("-1e400") == -kInfinity);
  CHECK(parse_python_float("1e-400") == 0.0);
  CHECK(parse_python_float("4.9406564584124654e-324") == std::numeric_limits<double>::denorm_min());
  CHECK(std::isnan(parse_python_float("NaN").value_or(0)));
  CHECK(std::signbit(parse_python_float("-0").value_or(1)));
  for (const char* text : {"", ".", "+", "1e", "e5", "1e+-5", "1._0", "1_.0", "1_e5", "nan(1)", "in", "infinit",
                           "0x1p3", "1 2", "1,5", "--1", "1f"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_python_float(text).has_value());
  }
}
