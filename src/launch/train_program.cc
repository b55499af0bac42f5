#include "launch/train_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "base/cpu_affinity.h"
#include "base/environment.h"
#include "base/hparams_json.h"
#include "base/printable.h"
#include "collective/make_communicator.h"
#include "collective/mpi/mpi_messages.h"
#include "collective/mpi/mpi_session.h"
#include "launch/device/take_device.h"
#include "launch/flags/train_command.h"
#include "launch/job/host_addresses.h"
#include "launch/job/how_to_stop.h"
#include "launch/job/identity.h"
#include "launch/job/placement.h"
#include "launch/job/run_rank.h"
#include "launch/job/stop_signals.h"
#include "launch/standard_output.h"
#include "launch/start/evaluator_wait.h"
#include "launch/start/idle_hosts.h"
#include "launch/start/plan_start.h"
#include "launch/start/process_statement.h"
#include "launch/start/served_windows.h"
#include "launch/start/stated_cluster.h"
#include "launch/start/windows_to_start.h"
#include "launch/user_library.h"
#include "launch/version.h"
#include "train/config/schedules.h"
#include "train/registry/hparams_sets.h"
#include "train/registry/hparams_table.h"
#include "train/run_description.h"
#include "train/schedule/evaluate/follow.h"
#include "train/schedule/run_schedule.h"
#include "train/workload/rank_memory.h"

namespace lockstep {
namespace {

using Request = TrainCommand::Request;

// Returns a table for a person, JSON for a program.
std::string print_hparams(const TrainSettings& settings, const Registry& registry) {
  const HParams hparams = resolve_hparams(settings, registry);
  const bool launched = launch_identity(process_environment()).launcher != Launcher::none;
  if (!launched && standard_output_is_terminal()) return hparams_table(settings, hparams, registry);
  return hparams_to_json(hparams) + "\n";
}

std::string answer(Request request, const TrainSettings& settings, const Registry& registry, int ranks) {
  switch (request) {
    case Request::help:
      return train_help(HelpPart::most_used_flags);
    case Request::all_help:
      return train_help(HelpPart::all_flags);
    case Request::version:
      return version_text() + "\n";
    case Request::registry_help:
      return describe(registry);
    case Request::print_hparams:
      return print_hparams(settings, registry);
    case Request::print_memory:
      return describe_memory(settings, registry, ranks);
    case Request::print_schedule:
      return describe_schedule(settings, registry, ranks);
    case Request::train:
      break;
  }
  return {};
}

// Logs the place of each rank, and warns of crowded hosts. COLLECTIVE.
void describe_start(Job& job, Communicator& world, const ChosenDevice& device) {
  const RankPlan& plan = job.plan();
  const auto places = gather_placements(world, {.role = plan.role,
                                                .has_shares = plan.has_shares,
                                                .host = job.host(),
                                                .device = device.text(),
                                                .cores = allowed_cores(),
                                                .host_cores = host_cores(),
                                                .device_name = device.name});
  for (const std::string& line : describe_placements(places)) job.log().info("{}", line);
  if (world.rank() != 0) return;
  if (const std::string crowded = describe_crowded_hosts(places); !crowded.empty()) job.log().warning("{}", crowded);
}

// Returns whether the schedule answers requests to stop. Called before the settings are read, so the schedule may not
// exist.
bool answers_requests(const TrainCommand& command) {
  if (!command.line.given("schedule")) return true;
  const auto* const kind = std::ranges::find(kSchedules, command.line.text("schedule"), &ScheduleKind::name);
  return kind == std::end(kSchedules) || kind->answers_requests;
}

StopSource stop_source(StopSignals* signals, Job& job) {
  StopSource source{.since_start = job.since_start()};
  if (job.plan().role == Role::evaluator && job.has_other_worlds()) {
    source.training_ended = [&job] { return job.another_world_ended(); };
    source.training_asked_to_stop = [&job] { return job.another_world_asked_to_stop(); };
  }
  if (signals == nullptr) return source;
  source.requested = &signals->requested();
  source.reason = [signals] { return describe(signals->first()); };
  source.signal = [signals] { return signals->first().signal; };
  source.save_requests = &signals->save_requests();
  return source;
}

// Answers a training run's requests in the log at once: the step in progress may take long, and a user who sees nothing
// presses Ctrl-C again.
void answer_requests(StopSignals& signals, Job& job, const TrainSettings& settings) {
  if (schedule_kind(settings.schedule).work != Work::train) return;
  signals.when_asked([&log = job.log(), &now = job.trace().line(),
                      keeps = !settings.output_dir.empty()](const StopRequest& request) {
    const bool saves = keeps && now.step.load() > 0;  // else there is nothing to save yet
    const char* const after = now.phase.load() == Phase::evaluate ? "evaluation" : "step";
    if (request.signal != SIGCONT) {
      const bool is_order = request.signal == SIGTERM || request.signal == SIGINT;
      log.info("{}: {} after the {} in progress{}", describe(request), saves ? "saving and ending" : "ending", after,
               is_order ? "; another one, two seconds later, ends this process at once" : "");
    } else if (saves) {
      log.info("{}, with which mpirun begins to end a job: saving after the {} in progress", describe(request), after);
    }
  });
}

// This process's statement to the others, with its own flags.
Job::Options introduction(const Job& job, const TrainCommand& command, const Table<StrategyKind>& strategies) {
  const TrainSettings own = settings_of_line(command);
  ProcessStatement statement{.given = flags_of(command)};
  StatedCluster cluster;
  // A process that was started alone to use a saved model is not a task of the cluster that trains it.
  const Work work = schedule_kind(own.schedule).work;
  if (job.size() > 1 || work == Work::train || work == Work::test) cluster = stated_cluster(own, process_environment());
  statement.task = cluster.task;
  statement.told_by = cluster.told_by;
  statement.warnings = cluster.warnings;
  statement.refusal = cluster.refusal;
  if (!cluster.output_dir.empty()) statement.given.flags.try_emplace("output_dir", cluster.output_dir);
  const bool all_here = ranks_on_this_host(process_environment()) == job.size();
  const Windows windows = windows_to_start(statement, cluster.description, all_here, strategies);
  statement.has_windows = windows != Windows::none;
  const bool outlives = outlives_ranks(statement);
  return {.hang_timeout_s = static_cast<double>(own.hang_timeout.count()),
          .statement = to_text(statement),
          .description = cluster.description,
          .host_names = host_addresses(),
          .windows = windows,
          .outlives_ranks = outlives};
}

// Joins the job, and gives `command` the flags that hold for this rank, whatever it was started with. COLLECTIVE over
// all processes.
StartPlan join(Job& job, TrainCommand& command, const Registry& registry, const JobPlanner& planner) {
  StartPlan plan;
  job.join(introduction(job, command, registry.strategies), [&](std::span<const ProcessFacts> processes) {
    plan = plan_start(processes, planner, registry.strategies);
    const std::string idle = describe_idle_hosts(allocated_hosts(process_environment()), processes);
    if (!idle.empty()) plan.warnings.push_back(idle);
    return plan.ranks;
  });
  take_flags(command, plan.flags[static_cast<std::size_t>(job.process())]);
  return plan;
}

// Resolves the settings, after adding the entries of a user's library, which they may name, to the registry. signals:
// null for none.
TrainSettings resolve(const TrainCommand& command, Registry& registry, const JobReach& reach, StopSignals* signals) {
  const std::string library = usr_lib_of(command);
  std::string digest;
  if (!library.empty()) {
    std::optional<StopSignals::Unanswered> during;
    if (signals != nullptr) during.emplace(*signals);
    digest = load_user_library(library, registry);
  }
  TrainSettings settings = settings_of(command, registry, reach);
  settings.usr_lib_sha256 = digest;
  return settings;
}

// Seconds that the training ranks wait for an evaluator at the end, which may be in the middle of its last evaluation;
// nothing: no limit.
std::optional<double> patience_with_others(const TrainSettings& settings, Role role) {
  if (role == Role::evaluator || settings.eval_timeout_mins < 0) return {};
  return 60.0 * static_cast<double>(settings.eval_timeout_mins);
}

// Callback by which the chief logs its wait; empty on the other ranks.
std::function<void()> says_that_it_waits(Job& job, const TrainSettings& settings, Role role) {
  if (role != Role::chief || !job.has_other_worlds()) return {};
  const std::string folder = settings.output_dir.empty() ? "" : evaluator_folder(settings);
  return [&job, wait = std::make_shared<EvaluatorWait>(patience_with_others(settings, role), folder)] {
    wait->look(job.log());
  };
}

// Logs the setup, and the place of each rank. COLLECTIVE.
void report_start(Job& job, Communicator& world, const TrainSettings& settings, const TakenDevice& taken,
                  const std::vector<std::string>& warnings) {
  job.log().info("{}", version_text());
  if (job.session() != nullptr && !job.session()->settings().empty()) {
    job.log().info("MPI settings: {} (mpirun --mca NAME VALUE chooses others)", describe(job.session()->settings()));
  }
  if (!settings.usr_lib.empty()) job.log().info("{} is loaded, SHA-256 {}", settings.usr_lib, settings.usr_lib_sha256);
  if (schedule_kind(settings.schedule).work == Work::train && !settings.output_dir.empty()) {
    for (const std::string& line : how_to_stop(job.launcher())) job.log().info("{}", line);
  }
  describe_start(job, world, taken.device);
  if (job.rank() == 0) {
    for (const std::string& warning : taken.warnings) job.log().warning("{}", warning);
  }
  if (job.plan().role != Role::chief) return;
  for (const std::string& warning : warnings) job.log().warning("{}", warning);
}

// The number of ranks that are parameter servers. COLLECTIVE.
int count_servers(Communicator& world, Role role) {
  return static_cast<int>(std::ranges::count(all_gather_value(world, role), Role::parameter_server));
}

// COLLECTIVE: every rank of the world.
ExitCode run(Job& job, const TrainSettings& settings, const HParams& hparams, const Registry& registry,
             const DeviceRequest& device, StopSignals* signals, const StartPlan& start) {
  const auto world = make_world(job.session(), job.trace());
  const TakenDevice taken = take_device(*world, device, registry.devices, job.host(), job.plan().has_shares);
  report_start(job, *world, settings, taken, start.warnings);
  if (signals != nullptr) answer_requests(*signals, job, settings);
  ServedJob served{.ranks = *world, .servers = count_servers(*world, job.plan().role), .make_messages = [&job] {
                     return make_mpi_messages(*job.session());
                   }};
  if (served.servers > 0 && settings.on_worker_loss == "continue") {
    const auto can_spare = [trained = world->size() - served.servers](int rank) { return rank > 0 && rank < trained; };
    served.watch = &job.outlive_ranks(*world, can_spare);
    served.windows.why_none = "a window fails when one of its ranks dies (--on_worker_loss=continue)";
  } else {
    served.windows = served_windows(job.session(), *world, start.has_windows);
  }
  const auto alone = served.servers > 0 ? make_world(nullptr, job.trace()) : nullptr;
  Communicator& group = alone ? *alone : *world;
  const ScheduleEnd end = run_schedule(settings, hparams, registry,
                                       {.world = group,
                                        .compute = group,
                                        .backend = *taken.backend,
                                        .trace = job.trace(),
                                        .log = job.log(),
                                        .role = job.plan().role,
                                        .session = alone ? nullptr : job.session(),
                                        .has_shares = job.plan().has_shares,
                                        .stop = stop_source(signals, job),
                                        .device_id = taken.device.bus_id,
                                        .job_id = job.scheduler_id(),
                                        .served = served.servers > 0 ? &served : nullptr});
  if (signals != nullptr) signals->when_asked({});  // nothing that follows could be saved
  // Everything is saved, on every rank: from here on a launcher that ends the ranks after the first may only confirm
  // the code. But a process that leaves with 0 before MPI_Finalize is taken for crashed.
  if (end.stopped && end.code != ExitCode::done && signals != nullptr) {
    signals->leave_with(static_cast<int>(end.code));
  }
  if (world->rank() == 0 && !end.answer.empty()) print_to_standard_output(end.answer);
  if (end.lost_ranks) job.leave(end.code);
  world->close();
  return end.code;
}

// Runs an evaluator next to a training. Its failure does not end the training, but the job's exit code reports it in
// the end.
ExitCode evaluate_beside(Job& job, const std::function<ExitCode()>& evaluate) {
  const auto report = [&](const char* what) {
    job.log().write(LogLevel::error,
                    fmt::format("{}: the evaluator has failed, the training goes on: {}", job.host(), what));
    return ExitCode::internal;
  };
  try {
    return evaluate();
  } catch (const Error& error) {
    if (error.scope() != Scope::every_rank) job.leave_world();
    return error.scope() != Scope::every_rank || job.rank() == 0 ? report(error.what()) : ExitCode::internal;
  } catch (const std::exception& failure) {
    job.leave_world();
    return report(failure.what());
  }
}

// A line for a person who has copied a config.json to begin another run.
std::string folder_of_config(const TrainCommand& command, const TrainSettings& settings) {
  const CommandLine& line = command.line;
  if (!line.given("config") || line.given("output_dir") || settings.output_dir.empty()) return "";
  return fmt::format(
      "--config={} names --output_dir={}: the run there goes on; for a new run give another --output_dir",
      escaped(line.text("config")), escaped(settings.output_dir));
}

// signals: empty; filled before any thread starts, including those of a user's library, if the schedule answers them.
ExitCode train(Job& job, TrainCommand command, Registry registry, const JobPlanner& planner,
               std::optional<StopSignals>& signals) {
  if (answers_requests(command)) signals.emplace();
  const StartPlan start = join(job, command, registry, planner);
  if (!answers_requests(command)) signals.reset();  // according to the chief's schedule
  const Role role = job.plan().role;
  LS_CHECK(role != Role::data, fmt::format("train has no part for a {}", name(role)));
  const TrainSettings settings = resolve(command, registry, start.reach, signals ? &*signals : nullptr);
  const HParams hparams = check_schedule(settings, registry);
  const bool is_aside = role == Role::evaluator && job.has_other_worlds();
  DeviceRequest device = device_request(settings, registry.devices);
  if (role == Role::parameter_server) device = server_request();
  device.from_last = is_aside;  // the ranks that train begin with the first
  job.begin({.quiet = settings.quiet,
             .hang_timeout_s = static_cast<double>(settings.hang_timeout.count()),
             .others_timeout_s = patience_with_others(settings, role),
             .while_waiting = says_that_it_waits(job, settings, role),
             .stop_requested = signals ? &signals->requested() : nullptr,
             .is_aside = is_aside});
  if (const std::string folder = folder_of_config(command, settings); !folder.empty()) job.log().info("{}", folder);
  const auto its_part = [&] {
    return run(job, settings, hparams, registry, device, signals ? &*signals : nullptr, start);
  };
  return is_aside ? evaluate_beside(job, its_part) : its_part();
}

}  // namespace

int run_train_program(std::span<const std::string> args, const Registry& builtin, const JobPlanner& planner) {
  // It outlives the job: a signal that comes after the training is only noted, until this rank has left MPI.
  std::optional<StopSignals> signals;
  const int code = run_rank([&](Job& job) {
    TrainCommand command = read_train_command(args);
    if (command.request == Request::train) return train(job, std::move(command), builtin, planner, signals);
    Registry registry = builtin;
    const TrainSettings settings = resolve(command, registry, {}, nullptr);
    if (job.rank() == 0) print_to_standard_output(answer(command.request, settings, registry, job.size()));
    return ExitCode::done;
  });
  if (signals) signals->leave_with(code);
  return code;
}

}  // namespace lockstep
