#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/hparams.h"

namespace lockstep {

enum class StrategyChoice { sync, model_averaging };
enum class OverlapChoice { automatic, inline_, thread };

const char* name(StrategyChoice strategy);  // as --strategy takes it
const char* name(OverlapChoice overlap);    // as --overlap takes it

// What `train` was asked to do, defaults filled in. A plain value.
struct TrainOptions {
  std::string problem;
  std::string model;
  std::string hparams_set;  // the model's name unless given
  HParams config_hparams;   // of --config: values for the set, before the overrides
  std::string hparams;      // overrides, not parsed yet
  std::string usr_lib;      // "" = none
  std::string data_dir;     // "" = none
  std::string output_dir;   // "" = nothing is written

  std::optional<std::int64_t> train_steps;   // none: train_epochs
  std::optional<std::int64_t> train_epochs;  // none: what the hparams set says
  std::optional<std::int64_t> eval_steps;    // none: the whole split
  std::optional<double> ema;                 // none: no moving average of the weights
  std::int64_t local_eval_frequency = 0;     // steps; 0 = only at the end
  std::uint64_t random_seed = 0;

  StrategyChoice strategy = StrategyChoice::sync;
  std::int64_t sync_every = 0;                    // steps between meetings of model_averaging
  std::optional<std::int64_t> global_batch_size;  // none: hparam batch_size per rank
  bool exact = false;
  int micro_shards = 0;             // of --exact
  std::optional<double> fusion_mb;  // none: the checkpoint's, else kFusionMb
  OverlapChoice overlap = OverlapChoice::automatic;
  std::chrono::seconds hang_timeout{};

  std::optional<std::int64_t> save_steps;         // none: save_time
  std::optional<std::chrono::seconds> save_time;  // none: when evaluations are made
  std::int64_t keep_checkpoints = 0;              // 0 = all
  bool resume_previous = false;
  std::vector<std::string> allow_changes;  // names with underscores
  std::optional<std::chrono::seconds> stop_after;

  std::string device;  // parse_device (tensor/device.h) says what it means

  std::int64_t log_every = 0;  // steps
  bool quiet = false;
};

struct ParsedOptions {
  enum class Request { train, help, version, registry_help, print_hparams, print_schedule };
  Request request = Request::train;
  TrainOptions options;  // filled unless the request is help or version
};

// Reads the command line of `train`, without the program's name. No file but that of --config is touched and no name
// looked up: whether there is such a problem, model, set or device is found out later.
// Throws Error of every rank: usage for a flag that is unknown, repeated, malformed or meaningless in the chosen
// mode, configuration for a combination that cannot work, missing_input for a --config that is not there.
ParsedOptions parse_train_options(std::span<const std::string> args);

// What `train --help` prints: examples, the flags by topic, the exit codes.
std::string train_help();

}  // namespace lockstep
