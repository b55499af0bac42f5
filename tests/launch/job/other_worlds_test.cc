#include "launch/job/other_worlds.h"

#include <doctest/doctest.h>

#include <vector>

namespace lockstep {
namespace {

constexpr int kDone = static_cast<int>(ExitCode::done);
constexpr int kStopped = static_cast<int>(ExitCode::stopped);
constexpr int kInternal = static_cast<int>(ExitCode::internal);

}  // namespace

TEST_CASE("the code of a job whose worlds end apart") {
  CHECK(code_of_job(ExitCode::done, std::vector{kDone, kDone}) == ExitCode::done);
  // A world's failure is the job's, on every process.
  CHECK(code_of_job(ExitCode::done, std::vector{kDone, kInternal}) == ExitCode::internal);
  CHECK(code_of_job(ExitCode::internal, std::vector{kDone, kInternal}) == ExitCode::internal);
  // But a job that is to be run again says so: it comes to its evaluator again.
  CHECK(code_of_job(ExitCode::internal, std::vector{kStopped, kInternal}) == ExitCode::stopped);
  // An evaluator whose time is up leaves the code of what has been trained.
  CHECK(code_of_job(ExitCode::done, std::vector{kDone, kStopped}) == ExitCode::done);
}

}  // namespace lockstep
