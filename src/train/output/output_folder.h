#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "checkpoint/directory.h"
#include "lease/lease.h"
#include "train/config/train_setting.h"
#include "train/config/training_rank.h"
#include "train/output/events/event_file.h"
#include "train/output/metrics.h"
#include "train/output/metrics_sink.h"

namespace lockstep {

// An --output_dir in use. All of it is the chief's; on other ranks, and where nothing is written, it is empty.
struct OutputFolder {
  std::string path{};
  std::unique_ptr<CheckpointDirectory> checkpoints{};
  std::shared_ptr<Lease> lease{};  // shared with the thread that writes checkpoints; null where nobody took one

  // Lease::check(), for those who outlive this; nothing where nobody took a lease.
  std::function<void()> lease_check() const {
    return [lease = lease] {
      if (lease) lease->check();
    };
  }
};

// Makes --output_dir with its log folder, takes its lease (which may mean to wait for another job's end), removes what
// a killed writer left there, and opens the ranks' logs (rank_logs.h). COLLECTIVE. Throws Error(cannot_write), or
// Error(configuration) naming the trainer that has the folder.
OutputFolder open_output_folder(const TrainSettings& settings, const TrainingRank& rank);

// A metrics.jsonl that is there already, read as a whole.
struct FormerMetrics {
  bool there = false;
  std::string text{};
  std::string strange{};  // why it cannot be read; "" if it can
};
FormerMetrics read_former_metrics(const std::string& path);

// A strange file is no reason not to go on: it makes room for another one as metrics.jsonl.set_aside, which a
// warning says. Throws Error(cannot_write), and what Lease::check() does.
void set_metrics_aside(const std::string& path, const std::string& why, const OutputFolder& output, Log& log);

// With what is kept. As long as the folder is ours; the log outlives it.
std::unique_ptr<MetricsFile> open_metrics_file(const std::string& path, std::string_view kept,
                                               const OutputFolder& output, Log& log);

// Where lines go, metrics.jsonl and an event file, and what metrics.jsonl keeps of earlier runs.
struct OpenedMetrics {
  std::unique_ptr<MetricsSink> sink{};  // the chief's; null on other ranks
  EventFile* events = nullptr;          // a part of it, for what is no line
  bool evaluated = false;               // an evaluation after the resumed step is kept in it
  double wall_seconds = 0;              // of the runs before
  std::string kept{};                   // the lines that it keeps; the chief's
};

// Cuts metrics.jsonl back to the step the run resumes from, or replaces it. What no run has written, or no run can read
// (a pipe, a folder, more than kMaxWholeFileBytes), is renamed to metrics.jsonl.set_aside, which a warning says; what
// of it is ours goes on. Begins an event file from the next step on. evaluate_again: as in cut_metrics. COLLECTIVE.
// Throws Error(cannot_write).
OpenedMetrics open_metrics(const OutputFolder& output, const TrainingRank& rank, std::optional<std::int64_t> resumed,
                           bool evaluate_again);

}  // namespace lockstep
