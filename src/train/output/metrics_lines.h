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

  // What a run wrote: an object with a "kind" and a "step". None: the line is cut off, or broken.
  std::optional<Json> json() const;
};

// Goes through the lines of a file in order, the one that is cut off among them. The text outlives it. A plain value.
class MetricsLines {
 public:
  explicit MetricsLines(std::string_view file) : rest_(file) {}
  bool next(MetricsLine& line);  // false: that was the last one

 private:
  std::string_view rest_;
  std::int64_t number_ = 0;
};

// A member of a line; 0 or "" if it is none or of another type.
std::int64_t whole_member(const Json& line, std::string_view name);
double number_member(const Json& line, std::string_view name);  // also of a whole number: 1000.0 is written as 1000
std::string text_member(const Json& line, std::string_view name);

}  // namespace lockstep
