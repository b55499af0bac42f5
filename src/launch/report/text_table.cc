#include "launch/report/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace lockstep {

std::string text_table(std::span<const std::vector<std::string>> rows) {
  std::vector<std::size_t> widths(rows.empty() ? 0 : rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t at = 0; at < row.size(); ++at) widths[at] = std::max(widths[at], row[at].size());
  }
  std::string text;
  for (const auto& row : rows) {
    text += fmt::format("  {:<{}}", row.front(), widths.front());
    for (std::size_t at = 1; at < row.size(); ++at) text += fmt::format("  {:>{}}", row[at], widths[at]);
    text += "\n";
  }
  return text;
}

}  // namespace lockstep
