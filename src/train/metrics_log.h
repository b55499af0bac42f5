#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "train/config/training_rank.h"

namespace lockstep {

class MetricsSink;

// Writes metrics.jsonl, which `lockstep report` shows and docs/training.md describes, and the same numbers for
// TensorBoard. Every rank has one, but only the chief's writes. One thread at a time.
class MetricsLog {
 public:
  // For a user's own training loop. Creates the folder, keeps the lines of earlier starts up to `step`, after which
  // this start continues (0: it starts from the beginning and keeps none), and writes a line of kind start. Two jobs
  // must not write one folder: Checkpoints, made before this, waits until it is free. COLLECTIVE. The rank outlives
  // this. Throws Error(cannot_write), or Error(usage) of every rank for a folder without a name.
  MetricsLog(const TrainingRank& rank, const std::string& folder, std::int64_t step);
  // Writes into `sink`; null: nothing is written. seconds: training time of earlier starts.
  MetricsLog(std::unique_ptr<MetricsSink> sink, double seconds);
  ~MetricsLog();

  // Writes a line: kind "train", "eval" (which needs the member split), "event" or "end", the step, the seconds of
  // training so far, and the members. Numbers of train and eval lines become curves. Throws Error(cannot_write).
  void write(const char* kind, std::int64_t step, Json::Object members);

 private:
  std::unique_ptr<MetricsSink> sink_;
  double earlier_seconds_ = 0;
  Stopwatch watch_;
};

}  // namespace lockstep
