#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep {

// A record of the checkpoints that an evaluator has evaluated, and of those that were gone before it could, over all
// its starts: the lines of its metrics.jsonl, of kind eval and of the event "missed". A plain value.
class EvaluationRecord {
 public:
  // One evaluation of a checkpoint. The checksum tells files of one step apart: a run that resumes from an earlier step
  // writes the step again.
  struct Key {
    std::int64_t step = 0;
    std::string checksum{};
    std::string split{};
    std::string weights{};
    std::int64_t samples = 0;
    bool operator==(const Key&) const = default;
  };

  EvaluationRecord() = default;
  // Skips lines that are cut off or of neither kind. foreign(): there were lines that no evaluator has written, not
  // even one that was killed.
  explicit EvaluationRecord(std::string_view metrics);

  bool foreign() const { return foreign_; }
  bool has(const Key& key) const;
  // Returns whether there is a line for that step: an evaluation with any checksum, or that it was missed.
  bool knows(std::int64_t step, std::string_view split, std::string_view weights) const;
  // The samples of the line that add() would replace; 0 if there is none.
  std::int64_t samples(std::int64_t step, std::string_view split, std::string_view weights) const;
  std::int64_t evaluated() const;
  std::int64_t missed() const { return std::ssize(lines_) - evaluated(); }
  double wall_seconds() const { return wall_seconds_; }  // largest of all lines, where the clock resumes

  // Adds a line, without the newline, in place of one of the same step, split and weights. If the file of that step is
  // another one than before, it also removes the later steps: the run has resumed from before them. Returns whether the
  // file has to be written again, as text(), in the order of the steps, because the line is not simply the last.
  bool add(std::string_view line);
  std::vector<std::string> lines() const;
  std::string text() const;

 private:
  struct Line {
    Key key;  // for a missed step without checksum and samples
    std::string text;
  };
  struct Place {  // in the order of the steps, and within a step in the order in which lines came
    std::int64_t step = 0;
    std::int64_t number = 0;
    auto operator<=>(const Place&) const = default;
  };
  using SplitAndWeights = std::pair<std::string, std::string>;

  const Line* find(std::int64_t step, std::string_view split, std::string_view weights) const;

  std::map<Place, Line> lines_;
  // For each step, the number of its only line. A file may have very many lines, so none is searched for among all of
  // them.
  std::map<SplitAndWeights, std::map<std::int64_t, std::int64_t>> numbers_;
  std::int64_t taken_ = 0;  // lines so far: the next one's number
  double wall_seconds_ = 0;
  bool foreign_ = false;
};

}  // namespace lockstep
