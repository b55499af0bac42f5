#include "base/duration.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <limits>

namespace lockstep {
namespace {

using std::chrono::seconds;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

// Takes a whole number off the front of text.
std::optional<std::int64_t> take_number(std::string_view& text) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return {};
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// total + number * unit, unless that overflows.
std::optional<std::int64_t> plus(std::int64_t total, std::int64_t number, std::int64_t unit) {
  if (number > (kMost - total) / unit) return {};
  return total + number * unit;
}

// The ":MM:SS" behind an hour: two digits each, below 60.
std::optional<seconds> parse_clock(std::int64_t hours, std::string_view text) {
  if (text.size() != 6 || text[3] != ':') return {};
  std::string_view minute_text = text.substr(1, 2);
  std::string_view second_text = text.substr(4, 2);
  const auto minute = take_number(minute_text);
  const auto second = take_number(second_text);
  if (!minute || !second || !minute_text.empty() || !second_text.empty() || *minute >= 60 || *second >= 60) return {};
  const auto total = plus(*minute * 60 + *second, hours, 3600);
  if (!total) return {};
  return seconds(*total);
}

}  // namespace

std::optional<seconds> parse_duration(std::string_view text) {
  struct Unit {
    char letter;
    std::int64_t seconds;
  };
  constexpr std::array<Unit, 4> kUnits = {{{'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}}};

  std::int64_t total = 0;
  std::size_t next_unit = 0;  // a unit before this one may not follow any more
  bool first = true;
  while (first || !text.empty()) {
    const auto number = take_number(text);
    if (!number) return {};
    if (first && text.empty()) return seconds(*number);
    if (first && text.front() == ':') return parse_clock(*number, text);
    if (text.empty()) return {};
    while (next_unit < kUnits.size() && kUnits[next_unit].letter != text.front()) ++next_unit;
    if (next_unit == kUnits.size()) return {};
    const auto sum = plus(total, *number, kUnits[next_unit].seconds);
    if (!sum) return {};
    total = *sum;
    ++next_unit;
    text.remove_prefix(1);
    first = false;
  }
  return seconds(total);
}

}  // namespace lockstep
