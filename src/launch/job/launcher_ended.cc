#include "launch/job/launcher_ended.h"

#include "launch/job/process_tree.h"

namespace lockstep {

LauncherEnded::LauncherEnded(std::optional<pid_t> launcher, const std::string& proc) {
  if (launcher) launcher_ = std::filesystem::path(proc) / std::to_string(*launcher);
}

bool LauncherEnded::certain() {
  if (!launcher_) return false;
  looks_ = is_running(*launcher_) ? 0 : looks_ + 1;
  return looks_ >= kLooks;
}

}  // namespace lockstep
