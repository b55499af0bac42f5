#pragma once

#include <string>

// Cores that a thread may run on. mpirun binds a rank to one core and its threads inherit that; a helper thread
// (prefetch, communication) should rather use any free core. Linux only. Any thread may call.
namespace lockstep {

// Lets the calling thread run on every core that the host and the job's cgroup allow. Does nothing if the system
// refuses: the thread is then slower, not wrong.
void allow_all_cores();

// The cores that the calling thread may run on, "0-3,8"; "unknown" if the system does not say.
std::string allowed_cores();

// Number of cores of this host that allow_all_cores() would give, at least 1. The ranks of a host share them.
int host_cores();

}  // namespace lockstep
