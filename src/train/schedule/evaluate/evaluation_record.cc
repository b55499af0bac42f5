#include "train/schedule/evaluate/evaluation_record.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <ranges>

#include "base/json.h"
#include "base/json_place.h"
#include "train/output/metrics_lines.h"

namespace lockstep {
namespace {

struct ReadLine {
  EvaluationRecord::Key key;
  double wall_seconds = 0;
};

// Returns none for a line that no evaluator has written, such as the beginning of a line that a killed one leaves.
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
  for (MetricsLine line; lines.next(line);) {
    foreign_ |= line.whole ? !read_line(line.text) : !line.text.starts_with('{');
    if (line.whole) add(line.text);
  }
}

const EvaluationRecord::Line* EvaluationRecord::find(std::int64_t step, std::string_view split,
                                                     std::string_view weights) const {
  const auto same = numbers_.find({std::string(split), std::string(weights)});
  if (same == numbers_.end()) return nullptr;
  const auto at = same->second.find(step);
  return at == same->second.end() ? nullptr : &lines_.at({.step = step, .number = at->second});
}

bool EvaluationRecord::has(const Key& key) const {
  const Line* const line = find(key.step, key.split, key.weights);
  return line != nullptr && line->key == key;
}

bool EvaluationRecord::knows(std::int64_t step, std::string_view split, std::string_view weights) const {
  return find(step, split, weights) != nullptr;
}

std::int64_t EvaluationRecord::samples(std::int64_t step, std::string_view split, std::string_view weights) const {
  const Line* const line = find(step, split, weights);
  return line == nullptr ? 0 : line->key.samples;
}

std::int64_t EvaluationRecord::evaluated() const {
  return std::ranges::count_if(lines_ | std::views::values,
                               [](const Line& line) { return !line.key.checksum.empty(); });
}

bool EvaluationRecord::add(std::string_view line) {
  const auto read = read_line(line);
  if (!read) return false;
  const Key& key = read->key;
  const Line* const former = find(key.step, key.split, key.weights);
  const bool removed = former != nullptr;
  const bool rewritten = removed && !former->key.checksum.empty() && former->key.checksum != key.checksum;
  auto& same = numbers_[{key.split, key.weights}];
  const auto end = rewritten ? same.end() : same.upper_bound(key.step);
  for (auto at = same.lower_bound(key.step); at != end; at = same.erase(at)) {
    lines_.erase({.step = at->first, .number = at->second});
  }
  const Place place{.step = key.step, .number = taken_++};
  const bool last = lines_.empty() || lines_.rbegin()->first < place;
  same.emplace(place.step, place.number);
  lines_.emplace(place, Line{.key = key, .text = std::string(line)});
  wall_seconds_ = std::max(wall_seconds_, read->wall_seconds);
  return removed || !last;
}

std::vector<std::string> EvaluationRecord::lines() const {
  std::vector<std::string> texts;
  std::ranges::transform(lines_ | std::views::values, std::back_inserter(texts), &Line::text);
  return texts;
}

std::string EvaluationRecord::text() const {
  std::string text;
  for (const Line& line : lines_ | std::views::values) text.append(line.text).append("\n");
  return text;
}

}  // namespace lockstep
