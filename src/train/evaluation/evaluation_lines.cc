#include "train/evaluation/evaluation_lines.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep {
namespace {

// True if a line for people shows the metric. It leaves out the share of labels among the top 5 of five classes, and a
// loss that is the mean squared error and is shown under that name.
bool says_something(const EvaluationResult& result, const EvaluationResult::Value& value) {
  if (value.metric->of_more_than >= result.outputs || value.metric->shown.empty()) return false;
  const auto shown = [](double mean) { return fmt::format("{:.5f}", mean); };
  const auto is_same = [&](const EvaluationResult::Value& other) {
    return other.metric->name == "mean_squared_error" && shown(other.mean) == shown(value.mean);
  };
  return value.metric->name != "loss" || std::ranges::none_of(result.values, is_same);
}

}  // namespace

std::string describe(const EvaluationResult& result) {
  std::string text;
  for (const EvaluationResult::Value& value : result.values) {
    if (!says_something(result, value)) continue;
    const auto& [metric, mean, count] = value;
    if (!text.empty()) text += ", ";
    text += fmt::format(fmt::runtime(metric->shown), fmt::arg("mean", mean), fmt::arg("percent", mean * 100),
                        fmt::arg("count", count), fmt::arg("samples", result.samples),
                        fmt::arg("sequences", result.sequences));
  }
  return text;
}

std::string brief(const EvaluationResult::Value& value) {
  std::string name(value.metric->name);
  std::ranges::replace(name, '_', ' ');
  return value.metric->count.empty() ? fmt::format("{} {:.5f}", name, value.mean)
                                     : fmt::format("{} {:.2f} %", name, value.mean * 100);
}

Json::Object members_of(Split split, const EvaluationResult& result) {
  Json::Object members{{"split", name(split)}, {"loss", result["loss"].mean}, {"samples", result.samples}};
  if (result.taken > 0) {
    members.back().second = result.taken;
    members.emplace_back("tokens", result.samples);
  }
  for (const auto& [metric, mean, count] : result.values) {
    if (metric->name == "loss") continue;
    members.emplace_back(metric->name, mean);
    if (!metric->count.empty()) members.emplace_back(metric->count, count);
  }
  return members;
}

}  // namespace lockstep
