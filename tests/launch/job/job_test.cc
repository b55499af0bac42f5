#include "launch/job/job.h"

#include <doctest/doctest.h>

#include "support/check_error.h"

namespace lockstep {

TEST_CASE("what a job has from its start on is refused before it") {
  Job job;
  const std::string cure = "was called before job.start(), which joins the ranks";
  check_error(ExitCode::internal, {"job.plan() " + cure}, [&] { job.plan(); });
  check_error(ExitCode::internal, {"job.session() " + cure}, [&] { job.session(); });
  check_error(ExitCode::internal, {"job.trace() " + cure}, [&] { job.trace(); });
  check_error(ExitCode::internal, {"job.log() " + cure}, [&] { job.log(); });
}

}  // namespace lockstep
