#pragma once

#include <sys/types.h>

#include "collective/shm/peer_process.h"

namespace lockstep {

// Decides that the launcher of this rank has ended and has left it behind. Open MPI ends the ranks of a launcher that
// was killed within three seconds, but not at every moment of its own start and end; a rank that is left would hold its
// cores, its GPU and the names of its shared memory. It goes by a PeerProcess, not by /proc, which may hide a launcher
// of another user (slurmstepd). One thread.
class LauncherEnded {
 public:
  // launcher: a process of this host, as launcher_of() gives it.
  explicit LauncherEnded(pid_t launcher);

  // Called once a second. Returns true from the sixth call on that finds the launcher ended.
  bool certain();

 private:
  static constexpr int kLooks = 6;  // seconds: Open MPI's own end, and what it prints, comes first

  PeerProcess launcher_;
  int looks_ = 0;
};

}  // namespace lockstep
