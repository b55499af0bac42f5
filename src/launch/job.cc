#include "launch/job.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "base/host_name.h"
#include "collective/make_communicator.h"
#include "launch/deadline.h"

namespace lockstep {
namespace {

// How long a rank that need not tell waits for the one that does, before it ends the job by itself.
constexpr std::chrono::seconds kGrace{2};

// MPI has not started, so there is nothing to abort: the launcher ends the job when this process leaves.
[[noreturn]] void end_unjoined(const std::string& message) {
  const std::string line = message + "\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
  ::_exit(static_cast<int>(ExitCode::internal));
}

}  // namespace

Job::Job() : identity_(launch_identity(process_environment())), host_(host_name()) {}

void Job::start(const Options& options) {
  if (const auto error = hopeless_launch(identity_)) throw Error(*error);
  if (identity_.launcher == Launcher::none) {
    page_ = NodePage::in_process(1);
  } else {
    join_world(options);
  }
  log_ = std::make_unique<Log>(rank(), size(), options.quiet);
  const int line = session_ ? session_->local_rank() : 0;
  trace_ = std::make_unique<Trace>(page_->line(line), rank());
  if (!page_->warning().empty() && line == 0) log_->warning("{}", page_->warning());
  if (!session_) return;  // nobody to wait for
  WatchdogOptions watch;
  watch.hang_timeout_s = options.hang_timeout_s;
  watch.host = host_;
  watch.world_size = size();
  watch.print = [this](const std::string& text) {
    write_to_stderr(text);
    log_->debug("{}", text);  // into this rank's file, for who has only that
  };
  watchdog_ = std::make_unique<Watchdog>(*page_, line, *trace_, watch, [this] { abort(ExitCode::internal); });
}

// MPI's start is a collective like others, but there is no status page yet that could tell who is missing.
void Job::join_world(const Options& options) {
  const Deadline deadline(options.hang_timeout_s, [this, &options] {
    end_unjoined(
        fmt::format("{}: rank {}/{} has waited {:.0f} s for MPI to start: another rank did not come; look for a "
                    "process that is stopped or a host that cannot be reached, or give a larger --hang_timeout",
                    host_, identity_.rank, identity_.size, options.hang_timeout_s));
  });
  session_ = std::make_unique<MpiSession>();
  if (const auto error = singleton_launch(identity_, session_->size(), communicator_features())) {
    session_.reset();  // a world of one that nobody wanted: the launcher's rank decides who tells
    throw Error(*error);
  }
  page_ = NodePage::shared(*session_);
}

void Job::finish() {
  if (!session_) return;
  const auto phase = trace_->enter(Phase::finish);
  const auto operation = trace_->begin(Operation::finalize, 0);
  session_->finalize();
}

// One message a job: what every rank finds, the chief tells; of ranks of one host that fail at once, the first.
bool Job::tells(const Error& error) {
  if (error.scope() == Scope::every_rank && rank() != 0) {
    std::this_thread::sleep_for(kGrace);
    return !page_ || page_->claim_message();  // still here: the chief did not find it after all
  }
  if (page_ && !page_->claim_message()) {
    std::this_thread::sleep_for(kGrace);
    return false;
  }
  return true;
}

int Job::end(const Error& error) {
  const int code = static_cast<int>(error.code());
  if (tells(error)) {
    if (!log_) log_ = std::make_unique<Log>(rank(), size(), false);
    log_->write(LogLevel::error, host_ + ": " + error.what());
  }
  if (session_) session_->abort(code);
  return code;
}

void Job::abort(ExitCode code) noexcept {
  if (session_) session_->abort(static_cast<int>(code));
  std::_Exit(static_cast<int>(code));
}

}  // namespace lockstep
