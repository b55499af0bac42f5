#pragma once

#include <string>

namespace lockstep {

// True if the process with this folder in /proc is Open MPI 4's mpirun (or mpiexec, which is the same program).
bool is_mpirun(const std::string& process);

// True if it is this mpirun, or its daemon, which starts the ranks of other hosts.
bool starts_ranks(const std::string& process);

}  // namespace lockstep
