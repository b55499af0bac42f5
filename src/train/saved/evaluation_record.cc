#include "train/saved/evaluation_record.h"

#include <algorithm>
#include <optional>

#include "base/json.h"
#include "base/json_place.h"

namespace lockstep {
namespace {

struct ReadLine {
  EvaluationRecord::Key key;
  double wall_seconds = 0;
};

std::optional<ReadLine> read_evaluation(std::string_view text) {
  try {
    const Json json = parse_json(text);
    const JsonPlace line(json);
    if (line.member("kind").text() != "eval") return {};
    return ReadLine{.key = {.step = line.member("step").integer(),
                            .checksum = line.member("checksum").text(),
                            .split = line.member("split").text(),
                            .weights = line.member("weights").text()},
                    .wall_seconds = line.member("wall_seconds").number()};
  } catch (const JsonError&) {
    return {};  // the beginning of a line, as a killed evaluator leaves it, say
  }
}

}  // namespace

EvaluationRecord::EvaluationRecord(std::string_view metrics) {
  for (std::size_t end = metrics.find('\n'); end != std::string_view::npos; end = metrics.find('\n')) {
    add(metrics.substr(0, end));
    metrics.remove_prefix(end + 1);
  }
}

bool EvaluationRecord::has(const Key& key) const {
  const auto is_or_any = [](const std::string& asked, const std::string& value) {
    return asked.empty() || asked == value;
  };
  return std::ranges::any_of(lines_, [&](const Line& line) {
    return line.key.step == key.step && line.key.checksum == key.checksum && is_or_any(key.split, line.key.split) &&
           is_or_any(key.weights, line.key.weights);
  });
}

bool EvaluationRecord::add(std::string_view line) {
  const auto read = read_evaluation(line);
  if (!read) return false;
  const Key& key = read->key;
  const auto removed = std::erase_if(lines_, [&](const Line& other) {
    return other.key.step == key.step && other.key.split == key.split && other.key.weights == key.weights;
  });
  lines_.push_back({.key = key, .text = std::string(line)});
  wall_seconds_ = read->wall_seconds;
  return removed > 0;
}

std::string EvaluationRecord::text() const {
  std::string text;
  for (const Line& line : lines_) text.append(line.text).append("\n");
  return text;
}

}  // namespace lockstep
