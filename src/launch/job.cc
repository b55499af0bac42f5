#include "launch/job.h"

#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "collective/make_communicator.h"

namespace lockstep {
namespace {

// How long a rank that need not tell waits for the one that does, before it ends the job by itself.
constexpr std::chrono::seconds kGrace{2};

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown host";
}

}  // namespace

Job::Job() : identity_(launch_identity(process_environment())), host_(host_name()) {}

void Job::start(bool quiet) {
  if (const auto error = hopeless_launch(identity_)) throw Error(*error);
  if (identity_.launcher == Launcher::none) {
    page_ = NodePage::in_process(1);
    log_ = std::make_unique<Log>(0, 1, quiet);
    return;
  }
  session_ = std::make_unique<MpiSession>();
  if (const auto error = singleton_launch(identity_, session_->size(), communicator_features())) {
    session_.reset();  // a world of one that nobody wanted: the launcher's rank decides who tells
    throw Error(*error);
  }
  log_ = std::make_unique<Log>(rank(), size(), quiet);
  page_ = NodePage::shared(*session_);
  if (!page_->warning().empty()) log_->warning("{}", page_->warning());
}

void Job::finish() {
  if (session_) session_->finalize();
}

// One message a job: what every rank finds, the chief tells; of ranks of one host that fail at once, the first.
bool Job::tells(const Error& error) {
  if (error.scope() == Scope::every_rank && rank() != 0) {
    std::this_thread::sleep_for(kGrace);
    return session_ && page_ && page_->claim_message();  // still here: the chief did not find it after all
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
