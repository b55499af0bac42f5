#include "train/saved/evaluation_record.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/json.h"
#include "base/json_place.h"
#include "train/output/metrics_lines.h"

namespace lockstep {
namespace {

struct ReadLine {
  EvaluationRecord::Key key;
  double wall_seconds = 0;
};

// None of what an evaluator has not written: the beginning of a line, as a killed one leaves it, say.
std::optional<ReadLine> read_line(std::string_view text) {
  const std::optional<Json> line = MetricsLine{.text = text}.json();
  if (!line) return {};
  const bool evaluated = text_member(*line, "kind") == "eval";
  if (!evaluated && text_member(*line, "event") != "missed") return {};
  try {
    const JsonPlace place(*line);
    return ReadLine{.key = {.step = place.member("step").integer(),
                            .checksum = evaluated ? place.member("checksum").text() : "",
                            .split = place.member("split").text(),
                            .weights = place.member("weights").text(),
                            .samples = evaluated ? place.member("samples").integer() : 0},
                    .wall_seconds = place.member("wall_seconds").number()};
  } catch (const JsonError&) {
    return {};
  }
}

}  // namespace

EvaluationRecord::EvaluationRecord(std::string_view metrics) {
  MetricsLines lines(metrics);
  while (const std::optional<MetricsLine> line = lines.next()) {
    if (line->whole) add(line->text);
  }
}

bool EvaluationRecord::has(const Key& key) const { return std::ranges::find(lines_, key, &Line::key) != lines_.end(); }

bool EvaluationRecord::knows(std::int64_t step, std::string_view split, std::string_view weights) const {
  return std::ranges::any_of(lines_, [&](const Line& line) {
    return line.key.step == step && line.key.split == split && line.key.weights == weights;
  });
}

std::int64_t EvaluationRecord::evaluated() const {
  return std::ranges::count_if(lines_, [](const Line& line) { return !line.key.checksum.empty(); });
}

bool EvaluationRecord::add(std::string_view line) {
  const auto read = read_line(line);
  if (!read) return false;
  const Key& key = read->key;
  const auto of_same_kind = [&](const Key& other) { return other.split == key.split && other.weights == key.weights; };
  const bool rewritten = std::ranges::any_of(lines_, [&](const Line& other) {
    return other.key.step == key.step && of_same_kind(other.key) && !other.key.checksum.empty() &&
           other.key.checksum != key.checksum;
  });
  const auto removed = std::erase_if(lines_, [&](const Line& other) {
    return of_same_kind(other.key) && (other.key.step == key.step || (rewritten && other.key.step > key.step));
  });
  const auto place = std::ranges::upper_bound(lines_, key.step, {}, [](const Line& other) { return other.key.step; });
  const bool last = place == lines_.end();
  lines_.insert(place, {.key = key, .text = std::string(line)});
  wall_seconds_ = std::max(wall_seconds_, read->wall_seconds);
  return removed > 0 || !last;
}

std::vector<std::string> EvaluationRecord::lines() const {
  std::vector<std::string> texts;
  std::ranges::transform(lines_, std::back_inserter(texts), &Line::text);
  return texts;
}

std::string EvaluationRecord::text() const {
  std::string text;
  for (const Line& line : lines_) text.append(line.text).append("\n");
  return text;
}

}  // namespace lockstep
