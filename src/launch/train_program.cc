#include "launch/train_program.h"

#include <cstdio>

#include "base/cpu_affinity.h"
#include "collective/make_communicator.h"
#include "launch/hparams_json.h"
#include "launch/options.h"
#include "launch/run_rank.h"
#include "launch/user_library.h"
#include "launch/version.h"
#include "launch/who_is_where.h"
#include "tensor/backend.h"
#include "tensor/device.h"
#include "train/run_description.h"
#include "train/training.h"

namespace lockstep {
namespace {

using Request = ParsedOptions::Request;

TrainSettings settings_of(const TrainOptions& options) {
  TrainSettings settings;
  settings.problem = options.problem;
  settings.model = options.model;
  settings.hparams_set = options.hparams_set;
  settings.hparams = options.hparams;
  settings.usr_lib = options.usr_lib;
  settings.data_dir = options.data_dir;
  settings.output_dir = options.output_dir;
  settings.train_steps = options.train_steps;
  settings.train_epochs = options.train_epochs;
  settings.eval_steps = options.eval_steps;
  settings.ema = options.ema;
  settings.eval_frequency = options.local_eval_frequency;
  settings.log_every = options.log_every;
  settings.seed = options.random_seed;
  settings.strategy = name(options.strategy);
  settings.sync_every = options.sync_every;
  settings.global_batch_size = options.global_batch_size;
  if (options.exact) settings.micro_shards = options.micro_shards;
  settings.fusion_mb = options.fusion_mb;
  // In one node, where cores are busy computing, reducing as each bucket closes is 9 to 16 % faster than on a thread.
  settings.overlap = options.overlap == OverlapChoice::thread ? Overlap::thread : Overlap::inline_calls;
  return settings;
}

std::string answer(Request request, const TrainSettings& settings, const Registry& registry, int ranks) {
  switch (request) {
    case Request::help:
      return train_help();
    case Request::version:
      return version_text() + "\n";
    case Request::registry_help:
      return describe(registry);
    case Request::print_hparams:
      return hparams_to_json(resolve_hparams(settings, registry)) + "\n";
    case Request::print_schedule:
      return describe_schedule(settings, registry, ranks);
    case Request::train:
      break;
  }
  return {};
}

void train(Job& job, const TrainOptions& options, const TrainSettings& settings, const Registry& registry) {
  // What every rank can find wrong alone comes first: before MPI there is nobody to abort.
  const HParams hparams = resolve_hparams(settings, registry);
  const Device device = parse_device(options.device);
  job.start({.quiet = options.quiet, .hang_timeout_s = static_cast<double>(options.hang_timeout.count())});
  const auto backend = make_backend(device);
  const auto world = make_communicator(settings.overlap, job.session(), job.trace());

  job.log().info("{}", version_text());
  if (!settings.usr_lib.empty()) job.log().info("{} is loaded, SHA-256 {}", settings.usr_lib, settings.usr_lib_sha256);
  for (const std::string& line :
       describe_places(gather_places(*world, {job.host(), backend->device().text(), allowed_cores()}))) {
    job.log().info("{}", line);
  }
  run_training(settings, hparams, registry,
               {.world = *world, .backend = *backend, .trace = job.trace(), .log = job.log()});
  world->close();
}

}  // namespace

int run_train_program(std::span<const std::string> args, const Registry& builtin) {
  return run_rank([&](Job& job) {
    const ParsedOptions parsed = parse_train_options(args);
    TrainSettings settings = settings_of(parsed.options);
    Registry registry = builtin;
    if (!settings.usr_lib.empty()) settings.usr_lib_sha256 = load_user_library(settings.usr_lib, registry);
    if (parsed.request == Request::train) {
      train(job, parsed.options, settings, registry);
    } else if (job.rank() == 0) {
      const std::string text = answer(parsed.request, settings, registry, job.size());
      if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
        throw Error(ExitCode::cannot_write, "standard output cannot be written");
      }
    }
  });
}

}  // namespace lockstep
