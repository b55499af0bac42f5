#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep {

// A count with its noun: "1 step", "2 steps", "0 steps". many: the plural, if it is not formed with an s.
inline std::string counted(std::int64_t count, std::string_view one, std::string_view many = "") {
  if (count == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", count, one) : fmt::format("{} {}", count, many);
}

}  // namespace lockstep
