#include "train/choosing/past_evaluations.h"

#include <optional>
#include <string>

#include "base/json.h"
#include "base/json_place.h"

namespace lockstep {
namespace {

std::optional<PastEvaluation> read_evaluation(std::string_view text, std::string_view metric, std::string_view split) {
  try {
    const Json json = parse_json(text);
    const JsonPlace line(json);
    if (line.member("kind").text() != "eval" || line.member("split").text() != split) return {};
    return PastEvaluation{.step = line.member("step").integer(), .value = line.member(metric).number()};
  } catch (const JsonError&) {  // not one of ours, or without that metric
    return {};
  }
}

}  // namespace

std::vector<PastEvaluation> past_evaluations(std::string_view metrics, std::string_view metric, std::string_view split,
                                             std::int64_t last_step) {
  std::vector<PastEvaluation> found;
  while (!metrics.empty()) {
    const std::string_view line = metrics.substr(0, metrics.find('\n'));
    metrics.remove_prefix(std::min(line.size() + 1, metrics.size()));
    if (line.find("\"eval\"") == std::string_view::npos) continue;  // most lines
    const auto evaluation = read_evaluation(line, metric, split);
    if (evaluation && evaluation->step <= last_step) found.push_back(*evaluation);
  }
  return found;
}

}  // namespace lockstep
