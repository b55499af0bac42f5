#include "launch/job/how_to_stop.h"

#include <doctest/doctest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockstep {
namespace {

std::string text(Launcher launcher, pid_t mpirun, const std::string& script = "") {
  return fmt::format("{}", fmt::join(how_to_stop(launcher, mpirun, script), "\n"));
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("under mpirun it is said what a second Ctrl-C costs, and what costs nothing") {
  const std::string here = text(Launcher::mpirun, 4711);
  for (const char* part : {"Ctrl-C once", "a second one loses", "`kill -USR1 4711`", "`timeout --foreground`"}) {
    CAPTURE(part);
    CHECK(has(here, part));
  }
  CHECK(has(text(Launcher::mpirun, 0), "`kill -USR1` to mpirun"));  // from another host
  CHECK(!has(here, "exec"));
  CHECK(has(text(Launcher::mpirun, 4711, "bash"), "mpirun started bash, which started this program"));
}

TEST_CASE("other launchers give the ranks the time that they need") {
  for (const Launcher launcher : {Launcher::none, Launcher::srun, Launcher::pmi}) CHECK(text(launcher, 1).empty());
}

}  // namespace lockstep
