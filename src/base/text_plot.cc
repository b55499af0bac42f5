#include "base/text_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace lockstep {
namespace {

constexpr std::int64_t kRows = 12;
constexpr std::int64_t kLevelsPerRow = 3;  // a character is drawn low, in the middle or high: . - '

// A column as levels [low, high], counted from the bottom; empty if low > high.
struct Stroke {
  std::int64_t low = 0;
  std::int64_t high = -1;
};

bool is_empty(const Interval& column) { return std::isnan(column.lowest); }

// Strokes for the columns, extended so that neighbours touch: the curve is one line, jumps included.
std::vector<Stroke> strokes_of(std::span<const Interval> columns, Interval all) {
  const auto level = [&](double value) {
    constexpr std::int64_t kTop = kRows * kLevelsPerRow - 1;
    if (all.highest / 2 == all.lowest / 2) return kTop / 2;
    const double whole = all.highest / 2 - all.lowest / 2;  // halves: the difference may be too large for a double
    const double part = value / 2 - all.lowest / 2;
    return static_cast<std::int64_t>(std::lround(part / whole * static_cast<double>(kTop)));
  };
  std::vector<Stroke> strokes(columns.size());
  Stroke* before = nullptr;
  for (std::size_t at = 0; at < columns.size(); ++at) {
    if (is_empty(columns[at])) continue;
    Stroke& stroke = strokes[at] = {.low = level(columns[at].lowest), .high = level(columns[at].highest)};
    if (before != nullptr) {
      stroke.low = std::min(stroke.low, before->high + 1);
      before->low = std::min(before->low, stroke.high + 1);
    }
    before = &stroke;
  }
  return strokes;
}

// The character of a stroke in one row.
char mark(Stroke stroke, std::int64_t row) {
  constexpr const char* kMarks = ".-'";
  const std::int64_t bottom = (kRows - 1 - row) * kLevelsPerRow;
  const std::int64_t low = std::max<std::int64_t>(stroke.low - bottom, 0);
  const std::int64_t high = std::min(stroke.high - bottom, kLevelsPerRow - 1);
  if (low > high) return ' ';
  return high - low == kLevelsPerRow - 1 ? '|' : kMarks[(low + high) / 2];
}

}  // namespace

Interval interval_of_all(std::span<const Interval> columns) {
  Interval all{.lowest = std::numeric_limits<double>::infinity(), .highest = -std::numeric_limits<double>::infinity()};
  for (const Interval& column : columns) {
    if (is_empty(column)) continue;
    all.lowest = std::min(all.lowest, column.lowest);
    all.highest = std::max(all.highest, column.highest);
  }
  return all;
}

std::string text_plot(std::span<const Interval> columns, const PlotLabels& labels, std::optional<Interval> axis) {
  const Interval all = axis.value_or(interval_of_all(columns));
  const std::vector<Stroke> strokes = strokes_of(columns, all);
  const bool flat = all.lowest == all.highest;

  std::string text;
  for (std::int64_t row = 0; row < kRows; ++row) {
    std::string label;
    if (row == (flat ? kRows / 2 : 0)) label = fmt::format("{:.4g}", all.highest);
    if (row == kRows - 1 && !flat) label = fmt::format("{:.4g}", all.lowest);
    std::string line = fmt::format("{:>12} |", label);
    for (const Stroke& stroke : strokes) line += mark(stroke, row);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  text += fmt::format("{:>12} +{}\n", "", std::string(columns.size(), '-'));
  const std::size_t width = columns.size() - std::min(columns.size(), labels.first.size());
  text += fmt::format("{:>12}  {}{:>{}}\n", "", labels.first, labels.last, width);
  return text;
}

}  // namespace lockstep
