#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

namespace lockstep {

// Decides that the launcher of this rank has ended and has left it behind. Open MPI ends the ranks of a launcher that
// was killed within three seconds, but not at every moment of its own start and end; a rank that is left would hold its
// cores, its GPU and the names of its shared memory. One thread.
class LauncherEnded {
 public:
  // launcher: as launcher_of() gives it; without one certain() is always false. proc: "/proc" on a real host.
  explicit LauncherEnded(std::optional<pid_t> launcher, const std::string& proc = "/proc");

  // To be called once a second. True once the launcher has not been running at kLooks calls in a row.
  bool certain();

 private:
  static constexpr int kLooks = 6;  // seconds: Open MPI's own end, and what it prints, comes first

  std::optional<std::filesystem::path> launcher_;
  int looks_ = 0;  // number in a row without the launcher
};

}  // namespace lockstep
