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
  std::string component{};  // the component of Open MPI for it, by ompi_info: "gridengine"
  std::string source{};     // the variable that gives them: "PE_HOSTFILE"
  std::vector<std::string> hosts{};
};

// The hosts of SLURM_JOB_NODELIST or of the file PE_HOSTFILE, which Grid Engine puts on the host of the job's script.
// None if both are missing or one cannot be read, and under srun, which starts a task on each host of its step. Reads
// the file.
AllocatedHosts allocated_hosts(const Environment& environment);

// A warning of hosts on which none of the processes runs: an mpirun that does not know of the scheduler starts all on
// its own host. "" if there are none, or if no process runs on any allocated host: then they are not this job's. Pure.
std::string describe_idle_hosts(const AllocatedHosts& allocated, std::span<const ProcessFacts> processes);

}  // namespace lockstep
