#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hparams.h"
#include "collective/make_communicator.h"
#include "tensor/dtype.h"

namespace lockstep {

class Backend;

// A number, or the word "tune": the program then finds it by measurement. A plain value.
struct TunableNumber {
  double value = 0;
  bool tune = false;

  TunableNumber() = default;
  TunableNumber(double number) : value(number) {}  // NOLINT(google-explicit-constructor): most values are plain numbers
  bool operator==(const TunableNumber&) const = default;
};

// The settings of a training run, as the user gave them. Each member that a flag fills has its row in settings/, which
// says everything else about it; the defaults are here and nowhere else. A plain value.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): its members stand by topic
struct TrainSettings {
  std::string schedule = "continuous_train_and_eval";  // one of kSchedules

  std::string problem = "image_shapes";
  std::string model = "mlp";
  std::string hparams_set;  // "" = the set of the model's name
  std::string hparams;      // overrides of that set
  std::string usr_lib;      // the user's library, "" = none
  std::string data_dir;
  std::optional<double> holdout;  // share of the training split that becomes the dev split

  std::optional<std::int64_t> train_steps;     // steps; if train_epochs is given too, the first to end counts
  std::optional<std::int64_t> train_epochs;    // epochs; if neither is given, hparam train_steps counts
  std::optional<std::int64_t> eval_frequency;  // steps between evaluations, 0: one at the end; none: eval_interval()
  std::optional<std::int64_t> eval_steps;      // batches of hparam batch_size in an evaluation; else the whole split
  bool eval_use_test_set = false;              // else the dev split is evaluated, if there is one
  std::optional<std::int64_t> early_stop;      // evaluations without gain after which the run ends
  std::optional<std::chrono::seconds> stop_after;  // time since the process started, in which the run saves and ends
  std::uint64_t seed = 1;

  std::string warm_start_from;      // a checkpoint or an output_dir: a new run's first parameters, "" = initial values
  bool warm_start_partial = false;  // variables that the checkpoint lacks have initial values
  std::optional<double> ema;        // decay of the moving average of the weights that is evaluated

  std::string strategy = "sync";
  std::int64_t sync_every = 100;                  // steps between two averages
  std::optional<std::int64_t> global_batch_size;  // else hparam batch_size per rank
  bool exact = false;
  std::int64_t micro_shards = 8;  // parts that exact cuts a batch into
  // Size of a bucket, 1 MB = 2^20 bytes; else the checkpoint's, else the table's.
  std::optional<TunableNumber> fusion_mb;
  std::optional<std::int64_t> max_staleness;  // of gradients, in updates; nothing: no bound
  std::int64_t sum_updates = 1;               // gradients that parameter servers add up for an update
  std::string ps_apply = "optimizer";         // how an update is made from a gradient
  std::string on_worker_loss = "stop";        // what becomes of a job of which a rank that trains has died
  bool ps_log = false;                        // the order of the updates is written into the output_dir
  std::string ps_replay;                      // such a file, whose order is repeated; "" = none
  std::string ps_transport = "auto";          // how values and gradients travel to parameter servers
  std::string wire_dtype;                     // type in which gradients travel; "" = the checkpoint's, else the table's
  std::string collective = "auto";            // communicator of the gradients, of Registry::communicators
  std::string collective_table;               // table by which auto chooses it, "" = default_collective_table()
  std::string overlap = "auto";
  bool shard_optimizer = false;  // each rank of sync updates a part of the parameters
  std::chrono::seconds hang_timeout{60};

  std::string device = "auto";
  std::string devices;                // numbers of the visible GPUs that a host's ranks take, "" = all
  std::string gpu_order;              // the same in tensor2tensor's form
  std::string precision = "float32";  // type of matrix products, see product_dtype()
  bool cuda_graph = false;            // a step's operations run as graphs, see train/step/step_graphs.h
  bool recompute = false;             // layers keep less for the backward pass, see Model::recompute()

  // The places of the job's processes in TensorFlow's terms, as a script for tensor2tensor gives them.
  bool sync = false;                            // parameter server tasks compute
  std::optional<std::int64_t> worker_replicas;  // tasks that train, the chief among them; else as many as there are
  std::optional<std::int64_t> worker_gpu;       // ranks of a worker task
  std::optional<std::int64_t> worker_id;        // number of this process's worker task
  std::optional<std::int64_t> ps_replicas;      // parameter server tasks
  std::string ps_ranks;                         // which ranks are parameter servers, by the launcher's numbers
  std::optional<std::int64_t> ps_gpu;           // ranks of a parameter server task, if those compute
  std::string ps_hosts;                         // host:port of each task, with commas between them
  std::string worker_hosts;
  std::string job_name;                    // kind of this process's task: worker, ...
  std::optional<std::int64_t> task_index;  // number of this process's task, of its kind

  // Checkpoints, if there is an output_dir.
  std::string output_dir;                         // "" = nothing is written
  std::optional<std::int64_t> save_steps;         // steps between two saves; else save_time, else save_pace()
  std::optional<std::chrono::seconds> save_time;  // time between two saves
  std::optional<std::int64_t> keep_checkpoints;   // number of newest ones to keep, 0: all; else kUsuallyKept
  std::string keep_best;                          // metric of the best one, kept besides the newest; "" = none is kept
  std::string resume = "newest";
  std::vector<std::string> allow_changes;  // names of items that may differ from the checkpoint's run
  std::int64_t histogram_every = 0;        // steps between histograms of the variables; 0: none

  // Settings of schedules that use a saved checkpoint.
  std::string checkpoint_path;              // "" = the newest of output_dir
  std::string weights;                      // "ema" or "plain"; "" = the average if the checkpoint has one
  std::string eval_split;                   // "" = dev if there is one, else test
  bool eval_details = false;                // writes classes and worst samples into a file
  bool overwrite = false;                   // overwrites predictions that are there
  std::optional<std::int64_t> predict_top;  // most probable classes written for each prediction; none: 0
  std::int64_t eval_timeout_mins = 240;     // time limit without a new checkpoint; -1 = none

  std::int64_t log_every = 100;  // steps between train lines; 0: none
  bool quiet = false;

  // Not flags: values that a process finds before the run.
  HParams config_hparams;      // from --config: values for the set, applied before the overrides
  std::string usr_lib_sha256;  // SHA-256 of the loaded library
  // Names of the settings that the user gave; for others, a saved model's checkpoint may decide (train/saved/).
  std::vector<std::string> given;

  bool operator==(const TrainSettings&) const = default;
};

// Returns whether the user gave the setting of that name.
bool is_given(const TrainSettings& settings, std::string_view name);

// The name of the set that the hparams start from.
const std::string& hparams_set_name(const TrainSettings& settings);

// The number of micro-shards of --exact; nothing without it. Its tree has as many leaves for each accumulated pass.
std::optional<int> exact_shards(const TrainSettings& settings);

// The place where buckets are summed; "auto" counts as inline if nothing has decided it
// (train/exchange/exchange_choice.h).
Overlap overlap_of(const TrainSettings& settings);

// The number of float32 elements in a bucket of --fusion_mb, or of so many MB (2^20 bytes), at least one. REQUIRES:
// --fusion_mb is filled in with a number.
std::int64_t bucket_elements(const TrainSettings& settings);
std::int64_t bucket_elements(double megabytes);

// The type in which gradients travel.
DType wire_dtype_of(const TrainSettings& settings);
// The type of --precision, which is float32 for tf32. Throws Error(configuration) on a rank whose backend has no fast
// products of it.
DType product_dtype(const TrainSettings& settings, const Backend& backend);
// Makes the backend compute as --precision says, and returns product_dtype(). Throws as that does.
DType choose_products(const TrainSettings& settings, Backend& backend);

// The pace of saves during training: after so many steps or so much time since the last save, whichever comes first.
struct SavePace {
  std::int64_t steps = 0;                                   // 0: by time alone
  std::optional<std::chrono::seconds> time{};               // since the last save
  std::optional<std::chrono::seconds> before_evaluation{};  // time since the last save, if an evaluation comes next
};
SavePace save_pace(const TrainSettings& settings);

}  // namespace lockstep
