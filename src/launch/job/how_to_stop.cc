#include "launch/job/how_to_stop.h"

#include <fmt/format.h>

#include "base/printable.h"
#include "base/system_file.h"
#include "launch/job/mpirun_process.h"
#include "launch/job/process_tree.h"

namespace lockstep {

std::vector<std::string> how_to_stop(Launcher launcher, pid_t mpirun, const std::string& script) {
  if (launcher != Launcher::mpirun) return {};
  const std::string kill = mpirun == 0 ? "`kill -USR1` to mpirun" : fmt::format("`kill -USR1 {}`", mpirun);
  std::vector<std::string> lines{
      "to stop: Ctrl-C once, after which mpirun leaves the ranks two seconds to save; a second one loses the steps "
      "since the last save",
      fmt::format(
          "or {}, after which they have all the time that they need; for a time limit --stop_after, or `timeout "
          "--foreground`: a bare `timeout` is like a second Ctrl-C",
          kill)};
  if (!script.empty()) {
    lines.push_back(
        fmt::format("mpirun started {}, which started this program: signals may end that before the ranks have saved; "
                    "`exec` before the program's name there prevents it",
                    script));
  }
  return lines;
}

std::vector<std::string> how_to_stop(Launcher launcher) {
  std::string script;
  for (const pid_t process : ancestors()) {
    const std::string folder = fmt::format("/proc/{}", process);
    if (is_mpirun(folder)) return how_to_stop(launcher, process, script);
    script = read_system_file(folder + "/comm");
    script = escaped(script.substr(0, script.find('\n')));
  }
  return how_to_stop(launcher, 0, "");
}

}  // namespace lockstep
