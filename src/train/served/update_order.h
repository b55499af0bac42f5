#pragma once

#include <memory>
#include <optional>
#include <string>

#include "ps/group.h"
#include "ps/logged_sequencer.h"
#include "ps/sequencer.h"
#include "ps/update_log.h"
#include "train/config/settings.h"
#include "train/config/training_rank.h"
#include "train/served/served_plan.h"
#include "train/served/update_log_file.h"
#include "train/workload/workload.h"

namespace lockstep {

// A digest of the training data and of how they are divided into batches, for the logs of runs.
std::string batches_digest(const Workload& workload);

// The name of the log that a run with --ps_log writes if it begins after this step.
std::string update_log_path(const std::string& output_dir, std::int64_t step);

// With --ps_replay, for ServedPlan::replayed: the first line of that file; else "". Throws Error of this rank if the
// file cannot be read, or is no update log.
std::string line_to_replay(const TrainSettings& settings);

// Throws Error(configuration) of every rank if this run's updates cannot be those of the log that it is to repeat. For
// every rank of the job, once it has the chief's plan.
void check_replay(const TrainSettings& settings, const ServedPlan& plan, const ServedJob& job);

// The first server's decisions in a run: those of a run as it comes, or with --ps_replay the order of an earlier one.
// With --ps_log they are written into a file. Throws Error of this rank: what read_update_log()
// and Replay::check() throw, and cannot_write that names the file.
class UpdateOrder {
 public:
  UpdateOrder(const TrainSettings& settings, const ServedPlan& plan, const PsGroup& group);
  UpdateOrder(const UpdateOrder&) = delete;
  UpdateOrder& operator=(const UpdateOrder&) = delete;

  Sequencer& sequencer() { return logged_ ? *logged_ : *decisions_; }
  // For the server's loop to call while nothing comes.
  void while_waiting() {
    if (file_) file_->write_if_due();
  }
  // After the last command.
  void finish() {
    if (file_) file_->finish();
  }

 private:
  void begin_log(const UpdateLogHeader& header, const std::string& path);

  std::unique_ptr<Sequencer> decisions_;
  std::optional<UpdateLogFile> file_;  // none without --ps_log, as are the two below
  std::optional<UpdateLog> log_;
  std::optional<LoggedSequencer> logged_;
};

}  // namespace lockstep
