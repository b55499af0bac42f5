#include "train/saved/evaluation_record.h"

#include <algorithm>
#include <iterator>
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
                            .weights = line.member("weights").text(),
                            .samples = line.member("samples").integer()},
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

bool EvaluationRecord::has(const Key& key) const { return std::ranges::find(lines_, key, &Line::key) != lines_.end(); }

bool EvaluationRecord::add(std::string_view line) {
  const auto read = read_evaluation(line);
  if (!read) return false;
  const Key& key = read->key;
  const auto of_same_kind = [&](const Key& other) { return other.split == key.split && other.weights == key.weights; };
  const bool rewritten = std::ranges::any_of(lines_, [&](const Line& other) {
    return other.key.step == key.step && of_same_kind(other.key) && other.key.checksum != key.checksum;
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
