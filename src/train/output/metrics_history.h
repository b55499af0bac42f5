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

// The run that resumes.
struct ResumedRun {
  std::int64_t step = 0;         // after which it resumes
  bool evaluates_again = false;  // after that very step
  std::int64_t train_steps = 0;
  std::int64_t log_every = 1;
};

// Drops the lines of later steps, the end line, and what is no line of ours (the last one may be cut off); with
// evaluates_again also the evaluations after that very step. A shorter run has a train line of its last step: dropped
// where a longer one, made at once, would have none. Pure.
MetricsHistory cut_metrics(std::string_view text, const ResumedRun& run);

}  // namespace lockstep
