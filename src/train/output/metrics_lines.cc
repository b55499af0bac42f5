#include "train/output/metrics_lines.h"

namespace lockstep {

std::optional<Json> MetricsLine::json() const {
  if (!whole) return {};
  try {
    Json line = parse_json(text);
    const Json* const step = line.find("step");
    const auto* const whole_step = step == nullptr ? nullptr : step->as<std::int64_t>();
    if (whole_step == nullptr || *whole_step < 0 || text_member(line, "kind").empty()) return {};
    return line;
  } catch (const JsonError&) {
    return {};
  }
}

bool MetricsLines::next(MetricsLine& line) {
  if (rest_.empty()) return false;
  const std::size_t end = rest_.find('\n');
  const bool whole = end != std::string_view::npos;
  line = {.text = rest_.substr(0, end), .number = ++number_, .whole = whole};
  rest_.remove_prefix(whole ? end + 1 : rest_.size());
  return true;
}

std::int64_t whole_member(const Json& line, std::string_view name) {
  const Json* const member = line.find(name);
  const auto* const whole = member == nullptr ? nullptr : member->as<std::int64_t>();
  return whole == nullptr ? 0 : *whole;
}

double number_member(const Json& line, std::string_view name) {
  const Json* const member = line.find(name);
  const auto* const number = member == nullptr ? nullptr : member->as<double>();
  return number == nullptr ? static_cast<double>(whole_member(line, name)) : *number;
}

std::string text_member(const Json& line, std::string_view name) {
  const Json* const member = line.find(name);
  const auto* const text = member == nullptr ? nullptr : member->as<std::string>();
  return text == nullptr ? "" : *text;
}

}  // namespace lockstep
