#include "launch/job/job.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/host_name.h"
#include "collective/communicator.h"
#include "collective/mpi/mpi_library.h"
#include "collective/mpi/mpi_session.h"
#include "collective/mpi/mpi_version.h"
#include "collective/mpi/network_interfaces.h"
#include "collective/peer_ended.h"
#include "collective/watch/node_page.h"
#include "collective/watch/ranks_watch.h"
#include "collective/watch/watchdog.h"
#include "launch/job/deadline.h"
#include "launch/job/gather_facts.h"
#include "launch/job/identity.h"
#include "launch/job/launcher_ended.h"
#include "launch/job/living_ranks.h"
#include "launch/job/lost_ranks.h"
#include "launch/job/other_worlds.h"
#include "launch/job/stderr_terminal.h"

namespace lockstep {
namespace {

// Grace period: ranks that do not print wait this long for the one that does, before they end the job themselves.
constexpr std::chrono::seconds kGrace{2};

// Waits for the grace period. False if a SIGTERM has cut it short: a launcher that ends the other ranks after the first
// (srun -K, mpirun) sends one to those that are still running, and the job's code would be the signal's, not the
// error's.
bool waited_for_reporter() {
  sigset_t end_of_job{};
  ::sigemptyset(&end_of_job);
  ::sigaddset(&end_of_job, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &end_of_job, nullptr);
  const timespec grace{.tv_sec = kGrace.count(), .tv_nsec = 0};
  return ::sigtimedwait(&end_of_job, nullptr, &grace) != SIGTERM;
}

// Prints the message and ends this process. There is nothing to abort: MPI has not started, and the launcher ends the
// job when this process leaves; or the launcher has ended.
[[noreturn]] void end_unjoined(const Terminal* terminal, const std::string& message, ExitCode code) {
  const std::string line = error_line(terminal, message);
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
  ::_exit(static_cast<int>(code));
}

// Ends the job if a rank of this host has ended without MPI. For the thread of a Deadline: reads no environment
// variable, since MPI may be setting them.
class EndedBeforeMpi {
 public:
  // terminal: that the message is shown on, null for none; outlives this.
  EndedBeforeMpi(std::string host, const JobMember& me, int size, const Terminal* terminal)
      : host_(std::move(host)), me_(me), size_(size), terminal_(terminal), ended_(me) {}

  void operator()() {
    const auto living = living_ranks(me_, ::getpid(), "/proc");
    if (!ended_.certain(living) || !living) return;
    end_unjoined(terminal_, fmt::format("{}: {}", host_, describe_ended(me_, size_, *living)), ExitCode::configuration);
  }

 private:
  std::string host_;
  JobMember me_;
  int size_;
  const Terminal* terminal_;
  EndedRanks ended_;
};

// Returns what ends this process once its launcher has ended without it, if it is called every second.
std::function<void()> end_without(pid_t launcher, const std::string& host, int rank) {
  return [ended = std::make_shared<LauncherEnded>(launcher),
          message = fmt::format("{}: the launcher has ended and has left rank {} behind, which ends now", host, rank)] {
    if (ended->certain()) end_unjoined(nullptr, message, ExitCode::internal);
  };
}

// Throws the Error of a launch that cannot work.
void check_launch(const LaunchIdentity& identity) {
  const std::string version = mpi_version();
  PmiClients clients;
  if (identity.launcher == Launcher::srun) {
    clients = pmi_clients(version, open_mpi_pmix_components(mpi_library_folder()));
  }
  if (const auto error = launch_error_before_mpi(identity, clients, version)) throw Error(*error);
}

std::vector<RankPlan> plan_for(const std::vector<ProcessFacts>& facts, const JobPlanner& planner) {
  std::vector<RankPlan> plan = planner(facts);
  check_plan(plan, facts.size());
  return plan;
}

ProcessFacts facts_of(const Job::Options& options, const std::string& host) {
  return {.host = host,
          .host_names = options.host_names,
          .gpus = options.gpus,
          .statement = options.statement,
          .description = std::make_shared<const std::string>(options.description)};
}

// The first exchange between all processes fails where MPI cannot reach some of them: the settings that were made for
// it may be a part of the cause.
std::vector<ProcessFacts> meet_first(MpiSession& session, const ProcessFacts& mine) {
  try {
    return gather_facts(session, mine);
  } catch (const Error& error) {
    if (session.settings().empty()) throw;
    throw Error(error.code(),
                fmt::format("{} (MPI settings: {}; mpirun --mca NAME VALUE chooses others)", error.what(),
                            describe(session.settings())),
                error.scope());
  }
}

}  // namespace

Job::Job() : identity_(std::make_unique<LaunchIdentity>(launch_identity(process_environment()))), host_(host_name()) {}
Job::~Job() = default;

int Job::rank() const { return session_ ? session_->rank() : identity_->rank; }
int Job::process() const { return session_ ? session_->process() : identity_->rank; }
int Job::size() const { return session_ ? session_->size() : identity_->size; }

Launcher Job::launcher() const { return identity_->launcher; }

std::string Job::scheduler_id() const { return scheduler_job_id(process_environment()); }

const RankPlan& Job::plan() const {
  check_started("plan()", page_ != nullptr);
  return plan_;
}

MpiSession* Job::session() {
  check_started("session()", trace_ != nullptr);
  return session_.get();
}

Trace& Job::trace() {
  check_started("trace()", trace_ != nullptr);
  return *trace_;
}

Log& Job::log() {
  check_started("log()", trace_ != nullptr);
  return *log_;
}

void Job::check_started(const char* call, bool started) {
  if (started) return;
  throw Error(ExitCode::internal,
              fmt::format("job.{} was called before job.start(), which joins the ranks and makes what it gives", call),
              Scope::every_rank);
}

void Job::open_log(bool quiet) {
  log_ = std::make_unique<Log>(rank(), size(), quiet);
  log_->open_terminal(stderr_terminal(identity_->launcher));
}

void Job::start(const Options& options, const JobPlanner& planner) {
  join(options, planner);
  begin(options);
}

void Job::join(const Options& options, const JobPlanner& planner) {
  check_launch(*identity_);
  if (identity_->launcher == Launcher::none) {
    plan_ = plan_for({facts_of(options, host_)}, planner).front();
    page_ = NodePage::in_process(1);
  } else {
    join_world(options, planner);
  }
}

void Job::begin(const Options& options) {
  others_timeout_s_ = options.others_timeout_s;
  while_waiting_ = options.while_waiting;
  stop_requested_ = options.stop_requested;
  open_log(options.quiet);
  const int line = session_ ? session_->local_rank() : 0;
  trace_ = std::make_unique<Trace>(page_->line(line), rank());
  if (!page_->warning().empty() && line == 0) log_->warning("{}", page_->warning());
  if (!session_) return;  // no rank to wait for
  WatchdogOptions watch;
  watch.hang_timeout_s = options.hang_timeout_s;
  watch.host = host_;
  watch.world_size = size();
  watch.print = [this](const std::string& text) {
    log_->write_report(text);
    log_->debug("{}", text);  // into this rank's file, for a reader who has only that
  };
  watchdog_ = std::make_unique<Watchdog>(*page_, line, *trace_, watch, [this, is_aside = options.is_aside] {
    if (!is_aside) abort(ExitCode::internal);
    if (page_->claim_message()) log_->write(LogLevel::error, host_ + ": the evaluator hangs, the training goes on");
  });
}

bool Job::has_other_worlds() const { return others_ != nullptr && others_->any(); }

bool Job::another_world_ended() { return has_other_worlds() && others_->has_told(OtherWorlds::News::ended); }

bool Job::another_world_asked_to_stop() {
  return has_other_worlds() && others_->has_told(OtherWorlds::News::asked_to_stop);
}

void Job::leave_world() {
  if (!has_other_worlds() || size() == 1) return;
  page_->claim_message();
  page_->claim_verdict();
  others_->tell(OtherWorlds::News::failed);
}

// MPI's start is a collective like others, but there is no status page yet that could show which rank is missing.
void Job::join_world(const Options& options, const JobPlanner& planner) {
  const std::unique_ptr<Terminal> terminal = stderr_terminal(identity_->launcher);
  std::function<void()> each_second;
  if (const auto me = job_member(process_environment())) {
    each_second = EndedBeforeMpi(host_, *me, identity_->size, terminal.get());
    if (const auto launcher = launcher_of(*me, ::getpid(), "/proc")) {
      launcher_watched_ = std::make_unique<Deadline>(
          std::numeric_limits<double>::infinity(), [] {}, end_without(*launcher, host_, identity_->rank));
    }
  }
  const auto late = [this, &options, &terminal] {
    std::string advice = interface_advice(network_interfaces());
    if (!advice.empty()) advice.insert(0, ". ");
    end_unjoined(
        terminal.get(),
        fmt::format("{}: rank {}/{} has waited {:.0f} s for MPI to start: another rank did not come; look for a "
                    "process that is stopped, a host that cannot be reached, or one of this job that is no train or "
                    "ended before calling MPI_Init, or give a larger --hang_timeout{}",
                    host_, identity_->rank, identity_->size, options.hang_timeout_s, advice),
        ExitCode::internal);
  };
  const Deadline deadline(options.hang_timeout_s, late, each_second);
  session_ =
      std::make_unique<MpiSession>(MpiNeeds{.windows = options.windows, .outlives_ranks = options.outlives_ranks});
  if (const auto error = launch_error_after_mpi(*identity_, session_->processes(), mpi_version())) {
    session_.reset();  // an unintended world of one: the launcher's rank decides who prints
    throw Error(*error);
  }
  const std::vector<RankPlan> plan = plan_for(meet_first(*session_, facts_of(options, host_)), planner);
  plan_ = plan[static_cast<std::size_t>(session_->process())];
  others_ = std::make_unique<OtherWorlds>(*session_, plan);
  session_->form(plan_.color, plan_.key);
  page_ = NodePage::shared(*session_);
}

RanksWatch& Job::outlive_ranks(Communicator& world, std::function<bool(int rank)> can_spare) {
  std::string why =
      why_ranks_end_together(process_environment(), launcher(), session_ ? open_mpi_major(mpi_version()) : std::nullopt,
                             session_ ? session_->settings() : std::vector<Setting>());
  if (why.empty() && has_other_worlds()) {
    why = "an evaluator of the same job would wait for a lost rank: start it as a job of its own";
  }
  if (why.empty()) why = page_->warning();
  why = first_text(world, why);
  PeerProcesses processes;
  if (why.empty()) processes = watched_processes(world, why);
  if (!why.empty()) throw Error(ExitCode::configuration, "--on_worker_loss=continue: " + why, Scope::every_rank);
  ranks_watch_ = std::make_unique<RanksWatch>(
      *page_, RanksWatch::Options{.processes = processes,
                                  .rank = rank(),
                                  .can_spare = std::move(can_spare),
                                  .when_needed_ended =
                                      [this, processes](int lost) {
                                        end(PeerEnded(describe_lost(lost, *processes[static_cast<std::size_t>(lost)])));
                                      },
                                  .when_left_behind = [this](ExitCode code) { leave(code); }});
  return *ranks_watch_;
}

void Job::leave(ExitCode code) noexcept {
  std::fflush(nullptr);
  std::_Exit(static_cast<int>(code));
}

ExitCode Job::finish(ExitCode code) {
  if (!session_) return code;
  const auto phase = trace_->enter(Phase::finish);
  // Another world may have much to do yet, and its ranks are not on this one's status page.
  if (has_other_worlds()) {
    watchdog_.reset();
    code = await_others(code);
  }
  const auto operation = trace_->begin(Operation::finalize, 0);
  session_->finalize();
  return code;
}

ExitCode Job::await_others(ExitCode code) {
  std::optional<Deadline> deadline;
  if (others_timeout_s_ && rank() == 0) {
    deadline.emplace(*others_timeout_s_, [this, code] {
      log_->write(LogLevel::error,
                  fmt::format("{}: this part of the job ended {:.0f} s ago, and the other one, that of the evaluator, "
                              "has not: look into its log, or give a larger --eval_timeout_mins",
                              host_, *others_timeout_s_));
      abort(code == ExitCode::stopped ? code : ExitCode::internal);
    });
  }
  const auto report = [&](ExitCode end) {
    if (rank() != 0 || plan_.role == Role::evaluator || end == code) return;
    log_->write(LogLevel::error, fmt::format("{}: the job ends with {}, because its evaluator has failed: look for its "
                                             "message above",
                                             host_, static_cast<int>(end)));
  };
  const auto lost = [&](ExitCode of_job) {
    report(of_job);
    std::fflush(nullptr);
    abort(of_job);
  };
  // The evaluator still evaluates the checkpoints of a training that was asked to stop.
  const bool made_all = plan_.role != Role::evaluator && code == ExitCode::done;
  bool passed_on = !made_all || stop_requested_ == nullptr;
  const ExitCode end = others_->await(code, lost, [&] {
    if (while_waiting_ && rank() == 0) while_waiting_();
    if (passed_on || !stop_requested_->load()) return;
    others_->tell(OtherWorlds::News::asked_to_stop);
    passed_on = true;
    log_->info("asked to stop: the evaluator will end after its present evaluation");
  });
  report(end);
  return end;
}

// One message per job: an error that every rank finds is printed by the chief; of ranks of one host that fail at once,
// the first prints.
bool Job::should_report(const Error& error) {
  if (error.scope() == Scope::another_rank || (error.scope() == Scope::every_rank && rank() != 0)) {
    // Still alive: the rank that should have printed it did not find the error after all.
    return waited_for_reporter() && (!page_ || page_->claim_message());
  }
  if (page_ && !page_->claim_message()) {
    waited_for_reporter();
    return false;
  }
  return true;
}

void Job::end(const Error& error) {
  if (should_report(error)) {
    if (!log_) open_log(false);
    log_->write(LogLevel::error, host_ + ": " + error.what());
  }
  // Do not return from main: a thread that an unwound object has detached may still be working, on a slow disk.
  std::fflush(nullptr);
  abort(error.code());
}

void Job::abort(ExitCode code) noexcept {
  if (ranks_watch_) ranks_watch_->end_others();
  if (session_) session_->abort(static_cast<int>(code));
  std::_Exit(static_cast<int>(code));
}

}  // namespace lockstep
