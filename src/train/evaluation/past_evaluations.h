#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace lockstep {

struct PastEvaluation {
  std::int64_t step = 0;
  double value = 0;        // value of the metric
  Json::Object members{};  // members of its line, from the split on
  bool operator==(const PastEvaluation&) const = default;
};

// The evaluations of a split by a metric in the text of metrics.jsonl, up to a step, in file order. Other lines are
// skipped. Pure.
std::vector<PastEvaluation> past_evaluations(std::string_view metrics, std::string_view metric, std::string_view split,
                                             std::int64_t last_step);

}  // namespace lockstep
