#include "train/evaluation/past_evaluations.h"

#include <optional>

#include "train/output/metrics_lines.h"

namespace lockstep {
namespace {

// Returns none for another line, and for an evaluation without that metric.
std::optional<PastEvaluation> read_evaluation(const Json& line, std::string_view metric, std::string_view split) {
  if (text_member(line, "kind") != "eval" || text_member(line, "split") != split) return {};
  const Json* const value = line.find(metric);
  if (value == nullptr || (value->as<double>() == nullptr && value->as<std::int64_t>() == nullptr)) return {};
  PastEvaluation found{.step = whole_member(line, "step"), .value = number_member(line, metric)};
  for (const auto& [name, member] : *line.as<Json::Object>()) {
    if (name != "kind" && name != "step" && name != "wall_seconds") found.members.emplace_back(name, member);
  }
  return found;
}

}  // namespace

std::vector<PastEvaluation> past_evaluations(std::string_view metrics, std::string_view metric, std::string_view split,
                                             std::int64_t last_step) {
  std::vector<PastEvaluation> found;
  MetricsLines lines(metrics);
  for (MetricsLine line; lines.next(line);) {
    if (line.text.find("\"eval\"") == std::string_view::npos) continue;  // most lines
    const std::optional<Json> json = line.json();
    if (!json) continue;
    const auto evaluation = read_evaluation(*json, metric, split);
    if (evaluation && evaluation->step <= last_step) found.push_back(*evaluation);
  }
  return found;
}

}  // namespace lockstep
