#include "launch/train_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/cpu_affinity.h"
#include "base/environment.h"
#include "base/hparams_json.h"
#include "collective/make_communicator.h"
#include "collective/mpi_session.h"
#include "launch/flags/train_command.h"
#include "launch/job/identity.h"
#include "launch/job/placement.h"
#include "launch/job/run_rank.h"
#include "launch/job/stop_signals.h"
#include "launch/standard_output.h"
#include "launch/user_library.h"
#include "launch/version.h"
#include "tensor/backend.h"
#include "tensor/device.h"
#include "train/config/schedules.h"
#include "train/hparams_sets.h"
#include "train/run_description.h"
#include "train/schedule/run_schedule.h"

namespace lockstep {
namespace {

using Request = TrainCommand::Request;

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

// Who is where, and what about it is not as it should be. COLLECTIVE.
void describe_start(Job& job, Communicator& world, const Device& device) {
  const RankPlan& plan = job.plan();
  const auto places = gather_placements(world, {.role = plan.role,
                                                .has_shares = plan.has_shares,
                                                .host = job.host(),
                                                .device = device.text(),
                                                .cores = allowed_cores(),
                                                .host_cores = host_cores()});
  for (const std::string& line : describe_placements(places)) job.log().info("{}", line);
  if (world.rank() != 0) return;
  for (const std::string& warning :
       {describe_crowded_hosts(places), unread_variables(process_environment(), world.size())}) {
    if (!warning.empty()) job.log().warning("{}", warning);
  }
}

// Asked before the settings are read, and so also of a schedule that there is not.
bool answers_requests(const TrainCommand& command) {
  if (!command.line.given("schedule")) return true;
  const auto* const kind = std::ranges::find(kSchedules, command.line.text("schedule"), &ScheduleKind::name);
  return kind == std::end(kSchedules) || kind->answers_requests;
}

StopSource stop_source(StopSignals* signals, const Stopwatch& since_start) {
  StopSource source{.since_start = since_start};
  if (signals == nullptr) return source;
  source.requested = &signals->requested();
  source.reason = [signals] { return describe(signals->first()); };
  source.signal = [signals] { return signals->first().signal; };
  return source;
}

ExitCode train(Job& job, const TrainSettings& settings, const Registry& registry, StopSignals* signals,
               const JobPlanner& planner) {
  // What every rank can find wrong alone comes first: before MPI there is no job to abort.
  const HParams hparams = check_schedule(settings, registry);
  const Device device = parse_device(settings.device);
  job.start({.quiet = settings.quiet, .hang_timeout_s = static_cast<double>(settings.hang_timeout.count())}, planner);
  const RankPlan& plan = job.plan();
  LS_CHECK(plan.role == Role::chief || plan.role == Role::worker,
           fmt::format("train has no part for a {}", name(plan.role)));
  const auto backend = make_backend(device);
  const auto world = make_world(job.session(), job.trace());

  job.log().info("{}", version_text());
  if (job.session() != nullptr && !job.session()->settings().empty()) {
    job.log().info("MPI settings: {} (mpirun --mca NAME VALUE chooses others)", describe(job.session()->settings()));
  }
  if (!settings.usr_lib.empty()) job.log().info("{} is loaded, SHA-256 {}", settings.usr_lib, settings.usr_lib_sha256);
  describe_start(job, *world, backend->device());
  const ScheduleEnd end = run_schedule(settings, hparams, registry,
                                       {.world = *world,
                                        .compute = *world,
                                        .backend = *backend,
                                        .trace = job.trace(),
                                        .log = job.log(),
                                        .role = plan.role,
                                        .session = job.session(),
                                        .has_shares = plan.has_shares,
                                        .stop = stop_source(signals, job.since_start()),
                                        .job_id = job.scheduler_id()});
  // All that is to be saved is, on every rank: from here on a launcher that ends the ranks after the first may only
  // confirm the code.
  if (end.stopped && signals != nullptr) signals->leave_with(static_cast<int>(end.code));
  if (world->rank() == 0 && !end.answer.empty()) print_to_standard_output(end.answer);
  world->close();
  return end.code;
}

}  // namespace

int run_train_program(std::span<const std::string> args, const Registry& builtin, const JobPlanner& planner) {
  return run_rank([&](Job& job) {
    const TrainCommand command = read_train_command(args);
    std::optional<StopSignals> signals;  // before any thread starts, also one of a user's library
    if (command.request == Request::train && answers_requests(command)) signals.emplace();
    Registry registry = builtin;
    std::string library_digest;
    if (!command.usr_lib.empty()) library_digest = load_user_library(command.usr_lib, registry);
    TrainSettings settings = settings_of(command, registry);
    settings.usr_lib_sha256 = library_digest;
    if (command.request == Request::train)
      return train(job, settings, registry, signals ? &*signals : nullptr, planner);
    if (job.rank() == 0) {
      print_to_standard_output(answer(command.request, settings, registry, job.size()));
    }
    return ExitCode::done;
  });
}

}  // namespace lockstep
