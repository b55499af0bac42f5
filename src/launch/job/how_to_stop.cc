#include "launch/job/how_to_stop.h"

#include <fmt/format.h>
#include <unistd.h>

#include "launch/job/mpirun_process.h"

namespace lockstep {

std::vector<std::string> how_to_stop(Launcher launcher, pid_t mpirun) {
  if (launcher != Launcher::mpirun) return {};
  const std::string kill = mpirun == 0 ? "`kill -USR1` to mpirun" : fmt::format("`kill -USR1 {}`", mpirun);
  return {
      "to stop: Ctrl-C once, after which mpirun leaves the ranks two seconds to save; a second one loses the steps "
      "since "
      "the last save",
      fmt::format(
          "or {}, after which they have all the time that they need; for a time limit --stop_after, or `timeout "
          "--foreground`: a bare `timeout` is like a second Ctrl-C",
          kill)};
}

std::vector<std::string> how_to_stop(Launcher launcher) {
  const pid_t parent = ::getppid();
  return how_to_stop(launcher, is_mpirun(fmt::format("/proc/{}", parent)) ? parent : 0);
}

}  // namespace lockstep
