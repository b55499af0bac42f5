#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep {

// The part of an earlier run's metrics.jsonl that is kept when training resumes after a step, so that it has each step
// once.
struct MetricsHistory {
  std::string kept{};        // the kept lines, whole
  bool evaluated = false;    // an evaluation after that step is among them
  double wall_seconds = 0;   // time of the last kept line, where this run's clock resumes
  std::int64_t reached = 0;  // largest step of any line, kept or not
  bool ended = false;        // its last line is an end line, so its steps were saved
  bool foreign = false;      // it had lines that no run has written, not even one that was killed
};

// Drops the lines of later steps, end lines, and lines that are not ours (the last one may be cut off). With
// evaluate_again also the evaluations after that very step. Pure.
MetricsHistory cut_metrics(std::string_view text, std::int64_t step, bool evaluate_again);

}  // namespace lockstep
