#pragma once

#include <vector>

#include "collective/mpi/mpi_session.h"
#include "launch/job/job_plan.h"

namespace lockstep {

// The facts of every process, in the launcher's order, from what each knows of itself; local_rank is counted here.
// Texts that are equal on several processes (the names of a host, flags, the description of a cluster) are sent once.
// COLLECTIVE, over all processes.
std::vector<ProcessFacts> gather_facts(MpiSession& session, const ProcessFacts& mine);

}  // namespace lockstep
