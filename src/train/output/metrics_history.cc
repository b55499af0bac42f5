#include "train/output/metrics_history.h"

#include <optional>

#include "base/json.h"

namespace lockstep {
namespace {

struct Line {
  std::string kind;
  std::int64_t step = 0;
  double wall_seconds = 0;
};

// 1000.0 is written as 1000. 0 if it is no number.
double number(const Json& value) {
  if (const auto* const whole = value.as<std::int64_t>()) return static_cast<double>(*whole);
  const auto* const any = value.as<double>();
  return any == nullptr ? 0 : *any;
}

std::optional<Line> read_line(std::string_view text) {
  try {
    const Json line = parse_json(text);
    const Json* const kind = line.find("kind");
    const Json* const step = line.find("step");
    const Json* const seconds = line.find("wall_seconds");
    if (kind == nullptr || kind->as<std::string>() == nullptr) return {};
    if (step == nullptr || step->as<std::int64_t>() == nullptr) return {};
    return Line{*kind->as<std::string>(), *step->as<std::int64_t>(), seconds == nullptr ? 0 : number(*seconds)};
  } catch (const JsonError&) {
    return {};
  }
}

}  // namespace

MetricsHistory cut_metrics(std::string_view text, std::int64_t step, bool evaluate_again) {
  MetricsHistory history;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view whole = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const auto line = end == std::string_view::npos ? std::nullopt : read_line(whole);
    // The beginning of a line is what a killed run leaves.
    history.foreign |= !line && (end != std::string_view::npos || !whole.starts_with('{'));
    const bool of_step = line && line->step == step && line->kind == "eval";
    if (!line || line->step > step || line->kind == "end" || (of_step && evaluate_again)) continue;
    history.kept.append(whole).append("\n");
    history.evaluated |= of_step;
    history.wall_seconds = line->wall_seconds;
  }
  return history;
}

}  // namespace lockstep
