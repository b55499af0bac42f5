#pragma once

#include <string>

// Which cores a thread may run on. mpirun binds a rank to one core and its threads inherit that; a thread that helps
// (prefetch, communication) should rather take whatever core is free. Linux only. Any thread may call.
namespace lockstep {

// Lets the calling thread run on every core that the host and the job's cgroup allow. Does nothing where the
// system refuses: the thread is then slower, not wrong.
void allow_all_cores();

// The cores the calling thread may run on, "0-3,8"; "unknown" where the system does not say.
std::string allowed_cores();

// Cores of this host that allow_all_cores() would give, at least 1: what the ranks of a host share.
int host_cores();

}  // namespace lockstep
