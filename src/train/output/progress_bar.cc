#include "train/output/progress_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string_view>
#include <utility>

#include "train/output/readable_numbers.h"

namespace lockstep {
namespace {

constexpr std::size_t kGap = 2;       // columns between two parts
constexpr std::size_t kLeastBar = 8;  // with its brackets
constexpr std::size_t kMostBar = 42;

// A part of the line in its two lengths; ASCII, so that bytes are columns. Empty: it has none of that length.
struct Part {
  std::string brief{};
  std::string full{};
  int importance = 0;  // 0: left out last
  std::string shown{};
};

// The parts in the order of the line; the bar comes after the second.
using Parts = std::array<Part, 7>;
constexpr std::size_t kPartsBeforeBar = 2;

// The rate, or the activity that interrupts training.
Part pace_part(const Progress& progress) {
  if (progress.activity) return {.brief = progress.activity->brief, .full = progress.activity->full, .importance = 3};
  const std::string rate = progress.rate > 0 ? thousands(progress.rate) : "";
  return {.brief = rate.empty() ? "" : rate + "/s",
          .full = rate.empty() ? "" : fmt::format("{} {}/s", rate, progress.unit),
          .importance = 5};
}

Parts parts_of(const Progress& progress) {
  const std::string steps = fmt::format("{}", progress.steps);
  const std::string step = fmt::format("{:>{}}/{}", progress.step, steps.size(), steps);
  const auto percent_done = progress.steps > 0 ? progress.step * 100 / progress.steps : 100;
  const auto loss = [&](int digits) {
    if (!progress.loss) return std::string();
    return std::abs(*progress.loss) < 1000 ? fmt::format("loss {:.{}f}", *progress.loss, digits)
                                           : fmt::format("loss {:.{}g}", *progress.loss, digits);
  };
  const std::string left = progress.seconds_left ? clock_text(*progress.seconds_left) + " left" : "";
  return {{{.brief = step, .full = "step " + step},
           {.brief = fmt::format("{:>3} %", percent_done), .importance = 1},
           {.full = fmt::format("epoch {:.2f}", progress.epochs), .importance = 7},
           {.brief = loss(4), .full = loss(5), .importance = 4},
           {.brief = progress.metric, .importance = 6},
           pace_part(progress),
           {.brief = left, .importance = 2}}};
}

std::size_t width(const Parts& parts) {
  std::size_t sum = 0;
  for (const Part& part : parts) {
    if (!part.shown.empty()) sum += part.shown.size() + (sum > 0 ? kGap : 0);
  }
  return sum;
}

// Shows `text` for the part, if there is room; else the part stays as it is.
void show_if_it_fits(Parts& parts, Part& part, const std::string& text, std::size_t room) {
  if (text.empty()) return;
  std::string before = std::exchange(part.shown, text);
  if (width(parts) > room) part.shown = std::move(before);
}

// The inside of the brackets up to the share `filled` of its columns.
std::string filled_columns(double filled, std::size_t columns, bool blocks) {
  const double share = std::clamp(filled, 0.0, 1.0);
  if (!blocks) {
    const auto full = static_cast<std::size_t>(share * static_cast<double>(columns));
    return std::string(full, '#');
  }
  static constexpr std::array<std::string_view, 8> kEighths = {"",       "\u258f", "\u258e", "\u258d",
                                                               "\u258c", "\u258b", "\u258a", "\u2589"};
  const auto eighths = static_cast<std::size_t>(share * static_cast<double>(columns) * 8);
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "\u2588";
  text += kEighths.at(eighths % 8);
  return text;
}

std::size_t columns_of(std::string_view utf8) {
  return static_cast<std::size_t>(std::ranges::count_if(utf8, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string bar(double share, std::size_t columns, const BarStyle& style) {
  const std::size_t inside = columns - 2;
  const std::string filled = filled_columns(share, inside, style.blocks);
  const std::string rest(inside - columns_of(filled), style.blocks ? ' ' : '.');
  return style.colours ? fmt::format("[\x1b[32m{}\x1b[0m{}]", filled, rest) : fmt::format("[{}{}]", filled, rest);
}

}  // namespace

std::string clock_text(double seconds) {
  constexpr double kMost = 1e9;  // thirty years
  const auto whole = static_cast<std::int64_t>(std::ceil(std::clamp(seconds, 0.0, kMost)));
  const std::int64_t days = whole / 86400;
  const std::int64_t hours = whole / 3600 % 24;
  const std::int64_t minutes = whole / 60 % 60;
  if (days > 0) return fmt::format("{}d {:02}:{:02}:{:02}", days, hours, minutes, whole % 60);
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60);
  return fmt::format("{}:{:02}", minutes, whole % 60);
}

bool encodes_utf8(const Environment& environment) {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value = environment(name).value_or("");
    if (value.empty()) continue;
    std::ranges::transform(value, value.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

std::string progress_bar(const Progress& progress, const BarStyle& style) {
  const auto room = static_cast<std::size_t>(std::max(style.columns, 0));
  Parts parts = parts_of(progress);
  std::array<Part*, std::tuple_size_v<Parts>> by_importance{};
  std::ranges::transform(parts, by_importance.begin(), [](Part& part) { return &part; });
  std::ranges::sort(by_importance, {}, &Part::importance);
  for (Part* const part : by_importance) show_if_it_fits(parts, *part, part->brief, room);
  const std::size_t least_bar = kLeastBar + kGap;
  const bool has_bar = width(parts) + least_bar <= room;
  const std::size_t room_beside_bar = has_bar ? room - least_bar : room;
  for (Part* const part : by_importance) show_if_it_fits(parts, *part, part->full, room_beside_bar);

  std::string text;
  const auto add = [&](const std::string& shown) {
    if (!shown.empty()) text.append(text.empty() ? 0 : kGap, ' ').append(shown);
  };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i == kPartsBeforeBar && has_bar) {
      const double share =
          progress.steps > 0 ? static_cast<double>(progress.step) / static_cast<double>(progress.steps) : 1;
      add(bar(share, std::min(room - width(parts) - kGap, kMostBar), style));
    }
    add(parts.at(i).shown);
  }
  return text;
}

}  // namespace lockstep
