#include "launch/job/run_rank.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <new>
#include <system_error>

#include "base/resource_limits.h"

namespace lockstep {

namespace {

// A file opened while one of the three standard descriptors is closed would get its number, and with it our log. Opened
// for reading only: writing to it still fails, so that a result for a closed output does not look delivered.
void occupy_standard_descriptors() {
  for (int descriptor = ::open("/dev/null", O_RDONLY); descriptor >= 0; descriptor = ::open("/dev/null", O_RDONLY)) {
    if (descriptor > STDERR_FILENO) {
      ::close(descriptor);
      return;
    }
  }
}

// Most often a limit was reached: for a thread or a file that the standard library could not get.
Error error_of(const std::system_error& failure) {
  const std::error_condition reason = failure.code().default_error_condition();
  if (reason == std::errc::resource_unavailable_try_again) return {ExitCode::internal, thread_limit_message()};
  return {ExitCode::internal, fmt::format("unexpected: {}{}", failure.what(), file_limit_advice(reason.value()))};
}

}  // namespace

int run_rank(const std::function<ExitCode(Job&)>& body) {
  occupy_standard_descriptors();
  std::signal(SIGPIPE, SIG_IGN);  // training continues when our output is closed
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond `ulimit -f`: the write fails, and is reported
  Job job;
  try {
    return static_cast<int>(job.finish(body(job)));
  } catch (const Error& error) {
    job.end(error);
  } catch (const std::bad_alloc&) {
    job.end(
        Error(ExitCode::internal, "out of memory; use a smaller model, a smaller batch or fewer ranks on this host"));
  } catch (const std::system_error& failure) {
    job.end(error_of(failure));
  } catch (const std::exception& failure) {
    job.end(Error(ExitCode::internal, fmt::format("unexpected: {}", failure.what())));
  } catch (...) {  // from a user's library
    job.end(Error(ExitCode::internal,
                  "unexpected: an exception that says nothing; throw lockstep::Error or a "
                  "std::exception instead"));
  }
}

}  // namespace lockstep
