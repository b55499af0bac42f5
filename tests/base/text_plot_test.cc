#include "base/text_plot.h"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

namespace lockstep {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::string plot(std::vector<Interval> columns) { return text_plot(columns, {.first = "1", .last = "step 9"}); }

std::string row(const std::string& text, int number) {
  std::size_t at = 0;
  for (; number > 0; --number) at = text.find('\n', at) + 1;
  return text.substr(at, text.find('\n', at) - at);
}

}  // namespace

TEST_CASE("a plot names its lowest and highest value, and columns without a value stay empty") {
  const std::string text = plot({{0, 0}, {1, 1}, {kNone, kNone}, {kNone, kNone}, {3.5, 3.5}, {2, 2}, {2, 2}, {2, 2}});
  CHECK(row(text, 0) == "         3.5 |    |");
  CHECK(row(text, 11) == "           0 |.-");
  CHECK(row(text, 12) == "             +--------");
  CHECK(row(text, 13) == "              1 step 9");
  for (int line = 0; line < 12; ++line) {
    CAPTURE(line);
    const std::string drawn = row(text, line) + std::string(80, ' ');
    CHECK(drawn.substr(16, 2) == "  ");
  }
}

TEST_CASE("a curve that is flat lies in the middle, and has one label") {
  const std::string text = plot({{-2, -2}, {-2, -2}, {-2, -2}});
  CHECK(row(text, 6).starts_with("          -2 |"));
  for (int line = 0; line < 12; ++line) {
    CHECK((row(text, line).find_first_of(".-'", 14) != std::string::npos) == (line == 6));
  }
}

TEST_CASE("the largest and the smallest numbers there are have a plot") {
  constexpr double kMost = std::numeric_limits<double>::max();
  const std::string text = plot({{-kMost, -kMost}, {0, 0}, {kMost, kMost}});
  CHECK(row(text, 0) == "  1.798e+308 |  |");
  CHECK(row(text, 11) == " -1.798e+308 |.-");
  CHECK(!plot({{0, 0}, {std::numeric_limits<double>::denorm_min(), 0}}).empty());
}

TEST_CASE("curves on one axis can be compared: its ends have the labels, whatever the curve has") {
  const std::vector<Interval> columns{{1, 1}, {2, 2}};
  const std::string text = text_plot(columns, {.first = "1", .last = "9"}, Interval{.lowest = 0, .highest = 4});
  CHECK(row(text, 0) == "           4 |");
  CHECK(row(text, 11) == "           0 |");
  CHECK(row(text, 6).starts_with("             | "));  // 2 is in the middle
  const Interval all = interval_of_all(columns);
  CHECK(all.lowest == 1);
  CHECK(all.highest == 2);
  CHECK(interval_of_all({}).lowest > interval_of_all({}).highest);
}

}  // namespace lockstep
