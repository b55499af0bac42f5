#include "train/saved/saved_steps.h"

#include <algorithm>
#include <optional>

#include "base/json.h"
#include "base/json_place.h"

namespace lockstep {
namespace {

std::optional<std::int64_t> read_saved(std::string_view text) {
  try {
    const Json json = parse_json(text);
    const JsonPlace line(json);
    if (line.member("kind").text() != "event" || line.member("event").text() != "saved") return {};
    return line.member("step").integer();
  } catch (const JsonError&) {
    return {};
  }
}

}  // namespace

std::vector<std::int64_t> saved_steps(std::string_view metrics) {
  std::vector<std::int64_t> steps;
  while (!metrics.empty()) {
    const std::string_view line = metrics.substr(0, metrics.find('\n'));
    metrics.remove_prefix(std::min(line.size() + 1, metrics.size()));
    if (line.find("\"saved\"") == std::string_view::npos) continue;  // most lines
    if (const auto step = read_saved(line)) steps.push_back(*step);
  }
  return steps;
}

}  // namespace lockstep
