#include "launch/flags/foreign_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "base/nearest.h"
#include "base/printable.h"
#include "launch/flags/command_line.h"
#include "launch/flags/flags_from_settings.h"
#include "train/config/schedules.h"
#include "train/config/settings/results.h"
#include "train/config/settings/where_it_runs.h"
#include "train/registry/foreign_hparams.h"
#include "train/registry/hparams_sets.h"

namespace lockstep {
namespace {

constexpr std::string_view kRanks = "the number of workers is that of the ranks: mpirun -np N train; leave it out";
constexpr std::string_view kLaunched =
    "it is for the launcher to say: mpirun tells the ranks of each other; leave it out";
constexpr std::string_view kDevices =
    "the number of ranks is that of GPUs: mpirun -np N train --device=cuda; --devices=0,2 says which ones";

constexpr std::string_view kReadsAhead =
    "threads read data ahead without it; the number of ranks is mpirun's: mpirun -np N train; leave it out";
constexpr std::string_view kCollective =
    "it is --collective here, without which a table chooses; --registry_help lists the communicators";
constexpr std::string_view kSharded =
    "it is --shard_optimizer here, which is stage 1: each rank keeps a part of the optimizer's state";

constexpr std::string_view kOneFolder = "there is one folder for the files of all splits: --data_dir=DIR";
constexpr std::string_view kNoService =
    "there is no service that figures are sent to: they are in metrics.jsonl and the event files for TensorBoard, in "
    "--output_dir";

constexpr ForeignFlag kForeignFlags[] = {
    // tensor2tensor
    {.name = "t2t_usr_dir",
     .instead = "it names modules of Python, which this program does not run; what they register has to be written in "
                "C++, built as a shared library and given as --usr_lib=FILE (docs/extending.md)"},
    {.name = "hparams_range",
     .instead = "there is no search over hyperparameters: start one run for each value, with --hparams=NAME=VALUE and "
                "an --output_dir of its own"},
    {.name = "decode_hparams", .instead = kNoGeneration},
    {.name = "decode_from_file", .instead = kNoGeneration},
    {.name = "decode_to_file", .instead = kNoGeneration},
    // TensorFlow's examples, tf_cnn_benchmarks, Model Garden and AI Platform
    {.name = "sync_replicas",
     .instead = "it is --sync here where ps tasks are to compute; without ps tasks ranks make each step together "
                "anyway"},
    {.name = "replicas_to_aggregate",
     .instead = "it is for --strategy to say: a step of sync takes the gradients of all ranks, and one of "
                "parameter_server those of --sum_updates; leave it out"},
    {.name = "existing_servers", .instead = kLaunched},
    {.name = "variable_update",
     .instead = "it is --strategy here: sync, the default, for replicated, distributed_replicated, "
                "distributed_all_reduce, collective_all_reduce and horovod, and parameter_server with "
                "--ps_replicas=K for parameter_server, where ranks do not wait for each other"},
    {.name = "cross_replica_sync",
     .instead = "it is always so here, but for --strategy=model_averaging, whose ranks train alone for --sync_every "
                "steps, and --strategy=parameter_server, whose ranks do so all the time; leave it out"},
    {.name = "local_parameter_device",
     .instead = "it is for --strategy to say: parameters lie on each rank's device, by central_storage once in the "
                "host's memory, and by parameter_server in that of the servers as well"},
    {.name = "all_reduce_spec", .instead = kCollective},
    {.name = "all_reduce_alg", .flag = "collective"},
    {.name = "distribution_strategy", .flag = "strategy"},
    {.name = "server_protocol", .instead = kLaunched},
    {.name = "controller_host", .instead = kLaunched},
    {.name = "mode",
     .instead = "it is --schedule here, which takes evaluate, predict and others; without it the program trains"},
    {.name = "num_batches", .flag = "train_steps"},
    {.name = "display_every", .flag = "log_every"},
    {.name = "use_fp16", .instead = kNoFloat16},
    {.name = "train_dir", .flag = "output_dir"},
    {.name = "job_dir", .flag = "output_dir"},
    // Keras and its scripts
    {.name = "epochs", .flag = "train_epochs"},
    {.name = "num_epochs", .flag = "train_epochs"},
    {.name = "max_epochs", .flag = "train_epochs"},
    {.name = "max_steps", .flag = "train_steps"},
    {.name = "num_steps", .flag = "train_steps"},
    {.name = "dataset",
     .instead = "it is --problem here, with its files in --data_dir: for text --problem=languagemodel_text "
                "--data_dir=FOLDER; --registry_help lists the others"},
    {.name = "validation_split", .flag = "holdout"},
    {.name = "histogram_freq", .instead = "there is --histogram_every=STEPS, which counts steps, not epochs"},
    {.name = "verbose", .instead = "there are --log_every=STEPS for lines about training, and --quiet for none"},
    // PyTorch, torchrun and Horovod
    {.name = "lr", .hparam = "learning_rate"},
    {.name = "base_lr", .hparam = "learning_rate"},
    {.name = "wd", .hparam = "weight_decay"},
    {.name = "arch", .flag = "model"},
    {.name = "log_interval", .flag = "log_every"},
    {.name = "dry_run",
     .instead = "it is --schedule=test here, which trains and evaluates for a few steps; --print_hparams, "
                "--print_memory and --print_schedule compute nothing"},
    {.name = "momentum",
     .instead = "it is an hparam of an optimizer here: --hparams=optimizer=momentum,optimizer_momentum_momentum=0.9"},
    {.name = "backend", .instead = kCollective},
    {.name = "dist_backend", .instead = kCollective},
    {.name = "print_freq", .flag = "log_every"},
    {.name = "find_unused_parameters",
     .instead = "there is nothing to look for: every variable of a model takes part in each step; leave it out"},
    {.name = "fp16_allreduce", .flag = "wire_dtype=float16"},
    {.name = "deterministic",
     .instead = "it is --exact --global_batch_size=N here: the same bits for any number of ranks"},
    {.name = "eval", .flag = "schedule=evaluate"},
    {.name = "eval_only", .flag = "schedule=evaluate"},
    {.name = "fsdp", .instead = kSharded},
    {.name = "zero", .instead = kSharded},
    {.name = "zero_stage", .instead = kSharded},
    {.name = "save_every", .flag = "save_checkpoints_steps"},
    {.name = "checkpoint_every", .flag = "save_checkpoints_steps"},
    {.name = "keep_last", .flag = "keep_checkpoint_max"},
    {.name = "save_dir", .flag = "output_dir"},
    {.name = "log_dir", .flag = "output_dir"},
    {.name = "checkpoint_dir", .flag = "output_dir"},
    {.name = "num_gpus", .instead = kRanks},
    {.name = "workers", .instead = kReadsAhead},
    {.name = "num_workers", .instead = kReadsAhead},
    {.name = "gpu", .instead = kDevices},
    {.name = "gpus", .instead = kDevices},
    {.name = "cuda", .flag = "device=cuda"},
    {.name = "no_cuda", .flag = "device=cpu"},
    {.name = "cpu", .flag = "device=cpu"},
    {.name = "local_rank", .instead = kLaunched},
    {.name = "rank", .instead = kLaunched},
    {.name = "world_size", .instead = kRanks},
    {.name = "nproc_per_node", .instead = kRanks},
    {.name = "nnodes", .instead = kRanks},
    {.name = "np", .instead = kRanks},
    {.name = "num_proc", .instead = kRanks},
    {.name = "fp16", .instead = kNoFloat16},
    {.name = "amp", .flag = "precision=bfloat16"},
    {.name = "bf16", .flag = "precision=bfloat16"},
    {.name = "scheduler", .hparam = "learning_rate_schedule"},
    {.name = "lr_scheduler", .hparam = "learning_rate_schedule"},
    {.name = "patience", .flag = "early_stop"},
    {.name = "early_stopping_patience", .flag = "early_stop"},
    {.name = "logdir", .flag = "output_dir"},
    {.name = "ckpt", .instead = kResumesByItself},
    {.name = "ckpt_path", .instead = kResumesByItself},
    {.name = "pretrained", .instead = kResumesByItself},
    {.name = "val_split", .flag = "holdout"},
    {.name = "val_dir", .instead = kOneFolder},
    {.name = "resume_from", .instead = kResumesByItself},
    {.name = "wandb", .instead = kNoService},
    {.name = "wandb_log", .instead = kNoService},
    // Hugging Face's trainer
    {.name = "do_train", .instead = "it is what is done unless --schedule says otherwise; leave it out"},
    {.name = "do_eval",
     .instead = "there are evaluations while it trains, as often as --local_eval_frequency=STEPS says; "
                "--schedule=evaluate evaluates a saved checkpoint"},
    {.name = "do_predict", .flag = "schedule=predict"},
    {.name = "resume_from_checkpoint", .instead = kResumesByItself},
    {.name = "per_device_train_batch_size", .hparam = "batch_size"},
    {.name = "gradient_accumulation_steps", .hparam = "optimizer_multistep_accumulate_steps"},
    {.name = "lr_scheduler_type", .hparam = "learning_rate_schedule"},
    {.name = "report_to", .instead = kNoService},
    {.name = "logging_steps", .flag = "log_every"},
    {.name = "save_steps", .flag = "save_checkpoints_steps"},
    {.name = "save_total_limit", .flag = "keep_checkpoint_max"},
    {.name = "gradient_checkpointing", .flag = "recompute"},
    // nanoGPT
    {.name = "max_iters", .flag = "train_steps"},
    {.name = "eval_interval", .flag = "local_eval_frequency"},
    {.name = "eval_iters", .flag = "eval_steps"},
    {.name = "init_from",
     .instead = "it is for --output_dir to say: a run in a new folder begins from scratch, and in one with checkpoints "
                "resumes; --warm_start_from=FILE begins with the weights of another run; there are none of GPT-2"},
    {.name = "min_lr",
     .instead = "it is an hparam here, as a share of learning_rate: --hparams=learning_rate_cosine_end=0.1"},
    {.name = "dtype", .flag = "precision"},
    {.name = "start", .instead = kNoGeneration},
    {.name = "max_new_tokens", .instead = kNoGeneration},
    {.name = "prompt", .instead = kNoGeneration},
    {.name = "temperature", .instead = kNoGeneration},
    {.name = "top_k", .instead = kNoGeneration},
    // RETURNN, which has them in a file of settings
    {.name = "use_horovod", .instead = kLaunched},
    {.name = "horovod_reduce_type",
     .instead = "it is --strategy here: model_averaging for param, and sync for grad, which is the default here too"},
    {.name = "horovod_param_sync_step", .flag = "sync_every"},
    {.name = "horovod_param_sync_time_diff",
     .instead = "there is no average by time: --strategy=model_averaging --sync_every=STEPS says how often"},
    {.name = "horovod_avg_grad",
     .instead = "it is always so here: a gradient is the mean over the samples of the global batch"},
    {.name = "horovod_scale_lr",
     .instead = "there is no factor of the number of ranks; --hparams=learning_rate_reference_batch=N says for "
                "which batch the rate was tuned, and it grows with larger ones"},
    {.name = "horovod_dataset_distribution",
     .instead = "there is one way: each epoch has every sample once, on one of the ranks, which read their own share"},
    {.name = "horovod_finish_all",
     .instead = "there is no need for it: all ranks have the same number of steps; leave it out"},
};

// Names of the hparams of every built-in set. A user's library is loaded only after the flags are read.
std::vector<std::string> builtin_hparams() {
  const Registry registry = builtin_registry();
  std::set<std::string> names;
  for (const std::string& set : registry.hparams_sets.names()) {
    const HParams hparams = hparams_set(registry, set);
    for (const auto& [name, value] : hparams.values()) names.insert(name);
  }
  return {names.begin(), names.end()};
}

std::string as_hparam(std::string_view hparam, const std::string& value) {
  return fmt::format("--hparams={}={}", hparam, value);
}

std::string describe(const ForeignFlag& foreign, const std::string& value) {
  if (!foreign.instead.empty()) return std::string(foreign.instead);
  if (!foreign.hparam.empty()) return fmt::format("it is an hparam here: {}", as_hparam(foreign.hparam, value));
  const Flag* const own = find_flag(flags_from_settings(), foreign.flag);
  if (own == nullptr || own->placeholder.empty()) return fmt::format("it is --{} here", foreign.flag);
  return fmt::format("it is --{0} here: --{0}={1}", foreign.flag, value);
}

// Advice for the name of a schedule, here or elsewhere; "" if it is none.
std::string as_schedule(std::string_view name) {
  const auto* const kind = std::ranges::find(kSchedules, name, &ScheduleKind::name);
  if (kind != std::end(kSchedules)) return fmt::format("it is --schedule={} here", name);
  return std::string(instead_of_schedule(name));
}

}  // namespace

std::span<const ForeignFlag> foreign_flags() { return kForeignFlags; }

std::string meaning_here(std::string_view name, const std::optional<std::string>& value) {
  const std::string given = value ? escaped(*value) : "VALUE";
  const auto* const foreign = std::ranges::find(kForeignFlags, name, &ForeignFlag::name);
  if (foreign != std::end(kForeignFlags)) return describe(*foreign, given);
  const auto renamed = std::ranges::find(foreign_hparams(), name, &ForeignHParam::name);
  if (renamed != foreign_hparams().end()) return describe({.name = name, .hparam = renamed->here}, given);
  if (std::string schedule = as_schedule(name); !schedule.empty()) return schedule;

  const std::vector<std::string> hparams = builtin_hparams();
  if (std::ranges::find(hparams, name) != hparams.end()) {
    return fmt::format("it is an hparam: {}", as_hparam(name, given));
  }
  if (!nearest(name, names_of(flags_from_settings())).empty()) return {};
  const std::string near = nearest(name, hparams);
  return near.empty() ? "" : fmt::format("did you mean hparam {}? {}", near, as_hparam(near, given));
}

}  // namespace lockstep
