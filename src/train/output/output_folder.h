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

// An --output_dir in use. It is filled on the chief; on other ranks, and if nothing is written, it is empty.
struct OutputFolder {
  std::string path{};
  std::unique_ptr<CheckpointDirectory> checkpoints{};
  std::shared_ptr<Lease> lease{};  // shared with the thread that writes checkpoints; null if none was taken

  // Lease::check() as a function that may outlive this; it does nothing if no lease was taken.
  std::function<void()> lease_check() const {
    return [lease = lease] {
      if (lease) lease->check();
    };
  }
};

// Makes --output_dir with its log folder, takes its lease (which may mean to wait for another job's end), removes what
// a killed writer left there, and opens the ranks' logs (rank_logs.h). Does nothing if the flag is not given.
// COLLECTIVE. Throws Error(cannot_write), Error(configuration) naming the trainer that has the folder, or
// Error(stopped) of every rank if it is asked to stop while it waits.
OutputFolder open_output_folder(const TrainSettings& settings, const TrainingRank& rank);

// An existing metrics.jsonl, read as a whole.
struct FormerMetrics {
  bool there = false;
  std::string text{};
  std::string strange{};  // why it cannot be read; "" if it can
};
FormerMetrics read_former_metrics(const std::string& path);

// Makes room for a new metrics.jsonl instead of failing: renames a strange file to metrics.jsonl.set_aside, with a
// warning. Throws Error(cannot_write), and what Lease::check() does.
void set_metrics_aside(const std::string& path, const std::string& why, const OutputFolder& output, Log& log);

// Makes a metrics.jsonl that begins with `kept`. It is written as long as the folder is ours; the log outlives it.
std::unique_ptr<MetricsFile> open_metrics_file(const std::string& path, std::string_view kept,
                                               const OutputFolder& output, Log& log);

// The sinks for lines, metrics.jsonl and an event file, and what metrics.jsonl keeps of earlier runs.
struct OpenedMetrics {
  std::unique_ptr<MetricsSink> sink{};  // the chief's; null on other ranks
  EventFile* events = nullptr;          // a part of the sink, for data that are not lines
  bool evaluated = false;               // an evaluation after the resumed step is kept in metrics.jsonl
  double wall_seconds = 0;              // training time of earlier starts
  std::string kept{};                   // the kept lines of metrics.jsonl; the chief's
};

// Cuts metrics.jsonl back to the step `resumed` that the run resumes from, or, without one, replaces it. A file with
// lines that no run has written, or that no run can read (a pipe, a folder, more than kMaxWholeFileBytes), is renamed
// to metrics.jsonl.set_aside, with a warning; its lines that are ours are kept if the run resumes. Begins an event file
// from the next step on. evaluate_again: as in cut_metrics. COLLECTIVE. Throws Error(cannot_write), and what
// Lease::check() throws.
OpenedMetrics open_metrics(const OutputFolder& output, const TrainingRank& rank, std::optional<std::int64_t> resumed,
                           bool evaluate_again);

}  // namespace lockstep
