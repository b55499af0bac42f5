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
  // A failure of one world is the job's failure, on every process.
  CHECK(code_of_job(ExitCode::done, std::vector{kDone, kInternal}) == ExitCode::internal);
  CHECK(code_of_job(ExitCode::internal, std::vector{kDone, kInternal}) == ExitCode::internal);
  // But a job that has to be restarted says so, since it will get back to its evaluator.
  CHECK(code_of_job(ExitCode::internal, std::vector{kStopped, kInternal}) == ExitCode::stopped);
  // An evaluator that was stopped by its time limit does not change the code of the training.
  CHECK(code_of_job(ExitCode::done, std::vector{kDone, kStopped}) == ExitCode::done);
}

}  // namespace lockstep
