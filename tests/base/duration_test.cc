#include "base/duration.h"

#include <doctest/doctest.h>

using lockstep::parse_duration;
using std::chrono::seconds;

TEST_CASE("durations: every form that is understood") {
  CHECK(parse_duration("0") == seconds(0));
  CHECK(parse_duration("90") == seconds(90));
  CHECK(parse_duration("90s") == seconds(90));
  CHECK(parse_duration("30m") == seconds(30 * 60));
  CHECK(parse_duration("1h30m") == seconds(90 * 60));
  CHECK(parse_duration("1h5s") == seconds(3605));
  CHECK(parse_duration("2d1h1m1s") == seconds(2 * 86400 + 3661));
  CHECK(parse_duration("90m") == seconds(90 * 60));
  CHECK(parse_duration("90m30s") == seconds(90 * 60 + 30));
  CHECK(parse_duration("99h59m59s") == seconds(99 * 3600 + 3599));
  CHECK(parse_duration("40d23h") == seconds(40 * 86400 + 23 * 3600));
  CHECK(parse_duration("01:30:00") == seconds(90 * 60));
  CHECK(parse_duration("1:02:03") == seconds(3723));
  CHECK(parse_duration("100:00:59") == seconds(360059));
  CHECK(parse_duration("9223372036854775807") == seconds::max());
}

TEST_CASE("durations: nothing else is") {
  for (const char* text : {"",
                           " ",
                           "s",
                           "1x",
                           "1 h",
                           " 1h",
                           "1h ",
                           "-5",
                           "+5",
                           "1.5h",
                           "1m1h",
                           "1h1h",
                           "1h90m",
                           "1h60m",
                           "1m60s",
                           "1h60s",
                           "1d24h",
                           "0d24h",
                           "30m90",
                           "1:30",
                           "1:30:",
                           "1:3:00",
                           "1:60:00",
                           "1:00:60",
                           "1:00:00:00",
                           ":10:10",
                           "1::00",
                           "1h:00:00",
                           "1:-1:00",
                           "9223372036854775808",
                           "9223372036854775807m",
                           "2562047788015216:00:00",
                           "1e3",
                           "0x10"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_duration(text).has_value());
  }
}
