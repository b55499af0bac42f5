#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/environment.h"
#include "launch/job/job_plan.h"

namespace lockstep {

// The hosts that a scheduler has given a job whose processes it does not start itself.
struct AllocatedHosts {
  std::string scheduler{};  // "Grid Engine"
  std::string component{};  // of Open MPI that knows of it, by ompi_info: "gridengine"
  std::string source{};     // what names them: "PE_HOSTFILE"
  std::vector<std::string> hosts{};
};

// By SLURM_JOB_NODELIST or the file of PE_HOSTFILE, which Grid Engine puts on the host of the job's script. None if
// they are not there or cannot be read, and under srun, which starts a task on each host of its step. Reads the file.
AllocatedHosts allocated_hosts(const Environment& environment);

// A warning of hosts on which none of the processes runs: an mpirun that does not know of the scheduler starts all on
// its own host. "" if there are none, or if no process runs on a host of these names, which are others' then. Pure.
std::string describe_idle_hosts(const AllocatedHosts& allocated, std::span<const ProcessFacts> processes);

}  // namespace lockstep
