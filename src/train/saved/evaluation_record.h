#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// What an evaluator has evaluated, over all its starts: the lines of its metrics.jsonl. A plain value.
class EvaluationRecord {
 public:
  // One evaluation of a checkpoint. The checksum tells files of one step apart: a run that resumes from before it
  // writes it again.
  struct Key {
    std::int64_t step = 0;
    std::string checksum{};
    std::string split{};
    std::string weights{};
  };

  EvaluationRecord() = default;
  // What is no whole line of an evaluation is left out.
  explicit EvaluationRecord(std::string_view metrics);

  // split and weights: "" for any.
  bool has(const Key& key) const;
  std::int64_t count() const { return std::ssize(lines_); }
  double wall_seconds() const { return wall_seconds_; }  // of the last line: where the clock resumes

  // Takes the line of an evaluation, without the newline, in place of one of the same step, split and weights. Returns
  // whether there was one: the file has to be written again, as text().
  bool add(std::string_view line);
  std::string text() const;

 private:
  struct Line {
    Key key;
    std::string text;
  };
  std::vector<Line> lines_;
  double wall_seconds_ = 0;
};

}  // namespace lockstep
