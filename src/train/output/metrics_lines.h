#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace lockstep {

// A line of a metrics.jsonl, within the text of the file.
struct MetricsLine {
  std::string_view text{};  // without the line feed
  std::int64_t number = 0;  // in the file, counted from 1
  bool whole = true;        // false: the last one, without a line feed: a kill cut it off, or it is being written

  // The object that a run wrote, with a "kind" and a "step"; none if the line is cut off or broken.
  std::optional<Json> json() const;
};

// Goes through the lines of a file in order, including one that is cut off. The text outlives it. A plain value.
class MetricsLines {
 public:
  explicit MetricsLines(std::string_view file) : rest_(file) {}
  bool next(MetricsLine& line);  // false: there are no more

 private:
  std::string_view rest_;
  std::int64_t number_ = 0;
};

// A member of a line; 0 or "" if it is missing or of another type.
std::int64_t whole_member(const Json& line, std::string_view name);
double number_member(const Json& line, std::string_view name);  // also for a whole number: 1000.0 is written as 1000
std::string text_member(const Json& line, std::string_view name);

}  // namespace lockstep
