#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>

// Numbers as lines for people show them.
namespace lockstep {

// 0.118 -> "12 %"
inline std::string percent(double share) { return fmt::format("{:.0f} %", share * 100); }

// 84512.3 -> "84,512"
inline std::string thousands(double number) {
  std::string digits = fmt::format("{:.0f}", number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

}  // namespace lockstep
