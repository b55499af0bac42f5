#include "launch/run_rank.h"

#include <fmt/format.h>

#include <new>

namespace lockstep {

int run_rank(const std::function<void(Job&)>& body) {
  Job job;
  try {
    body(job);
    job.finish();
    return static_cast<int>(ExitCode::done);
  } catch (const Error& error) {
    return job.end(error);
  } catch (const std::bad_alloc&) {
    return job.end(
        Error(ExitCode::internal, "out of memory; use a smaller model, a smaller batch or fewer ranks on this host"));
  } catch (const std::exception& failure) {
    return job.end(Error(ExitCode::internal, fmt::format("unexpected: {}", failure.what())));
  }
}

}  // namespace lockstep
