#include "train/output/readable_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace lockstep {

std::string percent(double share) { return fmt::format("{:.0f} %", share * 100); }

std::string thousands(double number) {
  std::string digits = fmt::format("{:.0f}", number);
  const std::ptrdiff_t first = digits.starts_with('-') ? 1 : 0;
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > first; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

std::string rounded(double number) {
  if (!std::isfinite(number)) return "not finite";
  const double size = std::abs(number);
  return size < 9999.5 || size >= 1e9 ? fmt::format("{:.4g}", number) : thousands(number);
}

std::string duration_text(double seconds) {
  if (!(seconds >= 59.95)) return fmt::format("{:.1f}s", seconds > 0 ? seconds : 0.0);
  constexpr double kMost = 1e15;
  const std::int64_t whole = std::llround(std::min(seconds, kMost));
  if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  if (whole < std::int64_t{2} * 86400) return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
  return fmt::format("{}d{:02}h", whole / 86400, whole / 3600 % 24);
}

}  // namespace lockstep
