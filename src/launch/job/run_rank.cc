#include "launch/job/run_rank.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <new>

namespace lockstep {

namespace {

// A file opened while one of the three standard descriptors is closed would get its number, and our log with it. For
// reading only: writing to it still fails, so that a result for a closed output does not look delivered.
void occupy_standard_descriptors() {
  for (int descriptor = ::open("/dev/null", O_RDONLY); descriptor >= 0; descriptor = ::open("/dev/null", O_RDONLY)) {
    if (descriptor > STDERR_FILENO) {
      ::close(descriptor);
      return;
    }
  }
}

}  // namespace

int run_rank(const std::function<ExitCode(Job&)>& body) {
  occupy_standard_descriptors();
  std::signal(SIGPIPE, SIG_IGN);  // whoever closed our output does not want to know; training continues
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond `ulimit -f`: the write fails, and is reported
  Job job;
  try {
    const ExitCode code = body(job);
    job.finish();
    return static_cast<int>(code);
  } catch (const Error& error) {
    job.end(error);
  } catch (const std::bad_alloc&) {
    job.end(
        Error(ExitCode::internal, "out of memory; use a smaller model, a smaller batch or fewer ranks on this host"));
  } catch (const std::exception& failure) {
    job.end(Error(ExitCode::internal, fmt::format("unexpected: {}", failure.what())));
  } catch (...) {  // from a user's library
    job.end(Error(ExitCode::internal,
                  "unexpected: an exception that says nothing; throw lockstep::Error or a "
                  "std::exception instead"));
  }
}

}  // namespace lockstep
