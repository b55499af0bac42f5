#include "base/csv.h"

#include <algorithm>
#include <cstddef>

namespace lockstep {
namespace {

// Takes a quoted field off the front of the line, closing quote included, and returns its text without the quotes.
std::string take_quoted(std::string_view& line) {
  std::string field;
  std::size_t at = 1;
  for (; at < line.size(); ++at) {
    if (line[at] == '"') {
      ++at;
      if (at == line.size() || line[at] != '"') break;
    }
    field += line[at];
  }
  line.remove_prefix(std::min(at, line.size()));
  return field;
}

}  // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"") == std::string_view::npos) return std::string(text);
  std::string field = "\"";
  for (const char each : text) {
    if (each == '"') field += '"';
    field += each;
  }
  return field + '"';
}

std::vector<std::string> csv_fields(std::string_view line) {
  std::vector<std::string> fields;
  for (;;) {
    std::string& field = fields.emplace_back(line.starts_with('"') ? take_quoted(line) : "");
    const std::size_t comma = std::min(line.find(','), line.size());
    field += line.substr(0, comma);  // empty after a quoted field, if the line is valid
    if (comma == line.size()) return fields;
    line.remove_prefix(comma + 1);
  }
}

}  // namespace lockstep
