#include "launch/job/launcher_ended.h"

namespace lockstep {
namespace {

ProcessPlace place_here(pid_t process) {
  ProcessPlace place = this_process();
  place.process = process;
  return place;
}

}  // namespace

LauncherEnded::LauncherEnded(pid_t launcher) : launcher_(place_here(launcher)) {}

bool LauncherEnded::certain() {
  if (launcher_.has_ended()) ++looks_;
  return looks_ >= kLooks;
}

}  // namespace lockstep
