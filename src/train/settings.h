#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/hparams.h"
#include "collective/make_communicator.h"

namespace lockstep {

inline constexpr double kFusionMb = 4;

// What a training run is, as the user asked for it: every flag that changes what is computed or written. A plain value,
// the same on every rank.
struct TrainSettings {
  std::string problem = "image_shapes";
  std::string model = "mlp";
  std::string hparams_set;  // "" = the set of the model's name
  HParams config_hparams;   // of --config: values for the set, before the overrides
  std::string hparams;      // overrides
  std::string usr_lib;      // the user's library that was loaded, "" = none
  std::string usr_lib_sha256;
  std::string data_dir;
  std::string output_dir;  // "" = nothing is written

  std::optional<std::int64_t> train_steps;   // else
  std::optional<std::int64_t> train_epochs;  // else from the hparams
  std::optional<std::int64_t>
      eval_steps;                      // batches of hparam batch_size that an evaluation takes; else the whole split
  std::int64_t eval_frequency = 1000;  // steps between evaluations; there is always one at the end
  std::int64_t log_every = 100;        // steps between train lines
  std::uint64_t seed = 1;

  std::optional<double> ema;  // decay of the moving average of the weights that is evaluated

  std::string strategy = "sync";
  std::int64_t sync_every = 100;                  // model_averaging: steps between meetings
  std::optional<std::int64_t> global_batch_size;  // else ranks x hparam batch_size
  std::optional<int> micro_shards;                // --exact: leaves of the tree
  std::optional<double> fusion_mb;          // of one bucket, 1 MB = 2^20 bytes; else the checkpoint's, else kFusionMb
  Overlap overlap = Overlap::inline_calls;  // how the world communicates, for what the start lines say

  // Checkpoints, where there is an output_dir.
  std::optional<std::int64_t> save_steps;          // steps between two; else save_seconds, else as evaluations
  std::optional<std::chrono::seconds> save_time;   // time between two
  std::int64_t keep_checkpoints = 20;              // the newest; 0: all
  bool resume_previous = false;                    // --resume=previous: not from the newest, but the one before it
  std::vector<std::string> allow_changes;          // names of what may differ from the checkpoint's run
  std::optional<std::chrono::seconds> stop_after;  // since the process started: save and end in time
  std::string job_id;                              // the scheduler's, for the lease: "slurm 1234"; "" = none
};

// Steps between evaluations, and between saves; 0: at the end only, or when a clock says so. Saves come as often as
// evaluations unless save_steps or save_time says otherwise.
std::int64_t eval_frequency(const TrainSettings& settings);
std::int64_t save_frequency(const TrainSettings& settings);

// The settings as flags, those that were not given left out: "--problem=image_shapes --model=mlp ...".
std::string text_of(const TrainSettings& settings);

}  // namespace lockstep
