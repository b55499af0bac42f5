#include "base/duration.h"

#include <array>
#include <cstdint>
#include <limits>

#include "base/whole_number.h"

namespace lockstep {
namespace {

using std::chrono::seconds;

constexpr std::int64_t kMaxDuration = std::numeric_limits<std::int64_t>::max();

// total + number * unit, unless that overflows.
std::optional<std::int64_t> plus(std::int64_t total, std::int64_t number, std::int64_t unit) {
  if (number > (kMaxDuration - total) / unit) return {};
  return total + number * unit;
}

// The ":MM:SS" after an hour: two digits each, below 60.
std::optional<seconds> parse_clock(std::int64_t hours, std::string_view text) {
  if (text.size() != 6 || text[3] != ':') return {};
  std::string_view minute_text = text.substr(1, 2);
  std::string_view second_text = text.substr(4, 2);
  const auto minute = take_digits<std::int64_t>(minute_text);
  const auto second = take_digits<std::int64_t>(second_text);
  if (!minute || !second || !minute_text.empty() || !second_text.empty() || *minute >= 60 || *second >= 60) return {};
  const auto total = plus(*minute * 60 + *second, hours, 3600);
  if (!total) return {};
  return seconds(*total);
}

struct Unit {
  char letter;
  std::int64_t seconds;
  std::int64_t below;  // limit of its number after a larger unit
};
constexpr std::array<Unit, 4> kUnits = {{{'d', 86400, kMaxDuration}, {'h', 3600, 24}, {'m', 60, 60}, {'s', 1, 60}}};

// Parses the rest of "1h30m" after its first number: each unit at most once, from the largest on.
std::optional<seconds> parse_units(std::int64_t number, std::string_view text) {
  std::int64_t total = 0;
  bool after_larger = false;
  for (const Unit& unit : kUnits) {
    if (text.front() != unit.letter) continue;
    if (after_larger && number >= unit.below) return {};
    after_larger = true;
    total = plus(total, number, unit.seconds).value_or(-1);
    if (total < 0) return {};
    text.remove_prefix(1);
    if (text.empty()) return seconds(total);
    number = take_digits<std::int64_t>(text).value_or(-1);
    if (number < 0 || text.empty()) return {};
  }
  return {};
}

}  // namespace

std::optional<seconds> parse_duration(std::string_view text) {
  const auto number = take_digits<std::int64_t>(text);
  if (!number) return {};
  if (text.empty()) return seconds(*number);
  if (text.front() == ':') return parse_clock(*number, text);
  return parse_units(*number, text);
}

}  // namespace lockstep
