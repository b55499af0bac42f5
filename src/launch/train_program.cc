#include "launch/train_program.h"

#include <cstdio>
#include <optional>

#include "base/cpu_affinity.h"
#include "base/hparams_json.h"
#include "collective/make_communicator.h"
#include "launch/options.h"
#include "launch/run_rank.h"
#include "launch/stop_signals.h"
#include "launch/train_settings.h"
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

ExitCode train(Job& job, const TrainOptions& options, const TrainSettings& settings, const Registry& registry,
               StopSignals& signals) {
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
  const TrainOutcome outcome = run_training(settings, hparams, registry,
                                            {.world = *world,
                                             .backend = *backend,
                                             .trace = job.trace(),
                                             .log = job.log(),
                                             .stop = {.requested = &signals.requested(),
                                                      .reason = [&] { return describe(signals.first()); },
                                                      .since_start = job.since_start()}});
  const ExitCode code = outcome.stopped ? ExitCode::stopped : ExitCode::done;
  // All is saved, on every rank: from here on a launcher that ends the ranks behind the first may only confirm the
  // code.
  if (outcome.stopped) signals.leave_with(static_cast<int>(code));
  world->close();
  return code;
}

}  // namespace

int run_train_program(std::span<const std::string> args, const Registry& builtin) {
  return run_rank([&](Job& job) {
    const ParsedOptions parsed = parse_train_options(args);
    TrainSettings settings = settings_of(parsed.options);
    settings.job_id = scheduler_job_id(process_environment());
    std::optional<StopSignals> signals;  // before any thread starts, also one of a user's library
    if (parsed.request == Request::train) signals.emplace();
    Registry registry = builtin;
    if (!settings.usr_lib.empty()) settings.usr_lib_sha256 = load_user_library(settings.usr_lib, registry);
    if (parsed.request == Request::train) return train(job, parsed.options, settings, registry, *signals);
    if (job.rank() == 0) {
      const std::string text = answer(parsed.request, settings, registry, job.size());
      if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
        throw Error(ExitCode::cannot_write, "standard output cannot be written");
      }
    }
    return ExitCode::done;
  });
}

}  // namespace lockstep
