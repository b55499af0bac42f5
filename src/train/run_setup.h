#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/hparams.h"
#include "optim/schedule.h"
#include "train/config/result_config.h"
#include "train/evaluation/choose_best.h"
#include "train/exchange/measure_exchange.h"
#include "train/output/output_folder.h"
#include "train/resume.h"
#include "train/saved/warm_start.h"
#include "train/state/state_copy.h"
#include "train/strategy/strategy.h"
#include "train/workload/workload.h"

namespace lockstep {

// The state of a run before it takes memory for its model: where it writes, what it resumes from or begins with, and
// what it trains.
struct RunSetup {
  TrainSettings settings;  // the settings as given, with what the checkpoint decides
  const HParams& hparams;
  std::unique_ptr<Communicator> gradients{};  // communicator of the compute group, which sums gradients
  const StrategyKind& strategy;               // entry of the registry
  std::string config_json{};                  // the settings as given, for the output_dir
  OutputFolder output{};
  std::optional<Resumption> from{};
  std::optional<WarmStart> warm{};  // only the chief has one
  bool new_optimizer = false;       // true: the optimizer differs from the checkpoint's
  Workload workload;
  Schedule schedule;
  std::int64_t eval_every = 0;       // steps between evaluations; 0: one at the end
  std::vector<ConfigItem> config{};  // the items that decide the result
  OpenExchange open{};               // the exchange settings to measure before the first step
  std::vector<MeasuredSetting> measured{};
  std::string memory_need{};  // text for the message of a failed allocation (train/workload/check_memory.h)
  BestRules best_rules{};
  PastChoice past{};  // the choices of earlier evaluations

  // The allocator for the values of this rank's replica. backend: this rank's.
  Allocator& values_memory(Backend& backend) const;

  MeasuredRun to_measure() {
    return {.settings = settings,
            .hparams = hparams,
            .gradients = *gradients,
            .strategy = strategy,
            .workload = workload,
            .open = open,
            .nothing_left = nothing_left(),
            .config = config,
            .measured = measured};
  }

  std::int64_t steps_made() const { return workload.plan.batches->from().step; }
  // True if all steps are made, or if the evaluations so far end the run.
  bool nothing_left() const {
    return steps_made() >= workload.plan.train_steps || BestChooser(best_rules, past).ends_run();
  }
  // The hparams as JSON on one line, with the number of steps that follows from flags and data.
  std::string hparams_json() const;
  std::optional<SavedBatches> batches() const;
  // The most batches that a step has taken, of this start and of those before.
  std::int64_t most_batches_of_step() const;
  // The header of the run's checkpoints: what they have in common, and the position at which the run begins.
  CheckpointHeader header(int ranks) const;
};

// Takes the output_dir, looks for a checkpoint, reads the data, plans the run, and refuses to resume as a different
// run. The hparams and the registry outlive it. COLLECTIVE. Throws Error.
RunSetup set_up_run(const TrainSettings& asked, const HParams& hparams, const Registry& registry,
                    const TrainingRank& rank);

// Gives every replica its first state: the chief's initial values, those of --warm_start_from among them, or the
// checkpoint's. COLLECTIVE.
void restore_or_initialize(RunSetup& run, const TrainingRank& rank, Strategy& strategy, const TrainingState& state);

// Makes the output_dir describe this run: checkpoint.json, config.json and metrics.jsonl continue from the step it
// resumes from. COLLECTIVE. Throws Error(cannot_write), and what Lease::check() throws.
OpenedMetrics open_run_files(const RunSetup& run, const TrainingRank& rank);

}  // namespace lockstep
