#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep {

// What an earlier run's metrics.jsonl keeps when training resumes after a step, so that each step stands in it once.
struct MetricsHistory {
  std::string kept{};        // the lines, whole
  bool evaluated = false;    // an evaluation after that step is among them
  double wall_seconds = 0;   // of the last of them: where this run's clock resumes
  std::int64_t reached = 0;  // the last step of any line
  bool ended = false;        // its last line is an end line: what it had made was saved
  bool foreign = false;      // it had what no run has written, not even one that was killed
};

// Drops the lines of later steps, the end line, and what is no line of ours (the last one may be cut off). With
// evaluate_again also the evaluations after that very step. Pure.
MetricsHistory cut_metrics(std::string_view text, std::int64_t step, bool evaluate_again);

}  // namespace lockstep
