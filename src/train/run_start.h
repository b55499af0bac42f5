#pragma once

#include <optional>
#include <vector>

#include "base/hparams.h"
#include "optim/schedule.h"
#include "train/output_folder.h"
#include "train/resume.h"
#include "train/run_config.h"
#include "train/state_copy.h"
#include "train/strategy.h"
#include "train/task.h"

namespace lockstep {

// What a run has found out before it takes memory for its model: where it writes, what it goes on from, what it trains.
struct RunStart {
  TrainSettings settings;  // as asked for, with what the checkpoint decides
  const HParams& hparams;
  OutputFolder output{};
  std::optional<Resumption> from{};
  Task task;
  Schedule schedule;
  std::vector<ConfigItem> config{};  // what decides its result

  std::int64_t steps_made() const { return task.plan.shards.options().from.step; }
  bool nothing_left() const { return steps_made() >= task.plan.train_steps; }
  // What its checkpoints have in common, and where it begins.
  CheckpointHeader header(int ranks) const;
};

// Takes the output_dir, looks for a checkpoint, reads the data, plans the run, and refuses to go on with what would be
// another run. The hparams outlive it. COLLECTIVE. Throws Error.
RunStart start_run(const TrainSettings& asked, const HParams& hparams, const Registry& registry,
                   const TrainingRank& rank);

// Gives every replica its first state: the chief's initial values, or the checkpoint's. COLLECTIVE.
void begin_state(RunStart& run, const TrainingRank& rank, Strategy& strategy, const TrainingState& state);

// Makes the output_dir tell of this run: checkpoint.json, config.json and metrics.jsonl go on from where it does.
// COLLECTIVE. Throws Error(cannot_write).
OpenedMetrics begin_files(const RunStart& run, const TrainingRank& rank);

}  // namespace lockstep
