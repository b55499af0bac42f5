#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "launch/job/identity.h"

namespace lockstep {

// Advice for a person who will stop a job that saves, as lines for the log. Empty unless Open MPI's mpirun is the
// launcher: under srun, or without a launcher, no way to stop it loses anything. mpirun: its process if it is on this
// host, else 0. script: the program that mpirun started and that started this one; "" if mpirun started this one
// itself.
std::vector<std::string> how_to_stop(Launcher launcher, pid_t mpirun, const std::string& script);
// The advice for this process's job: finds mpirun and the script in /proc.
std::vector<std::string> how_to_stop(Launcher launcher);

}  // namespace lockstep
