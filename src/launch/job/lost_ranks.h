#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/environment.h"
#include "collective/communicator.h"
#include "collective/mpi/mpi_environment.h"
#include "collective/shm/peer_process.h"
#include "launch/job/identity.h"

// A job that goes on when one of its ranks has ended: what it needs, and what it says of those it has lost.
namespace lockstep {

// Returns why the launcher or MPI would end all ranks of this launch with the first, and the cure; "" if they would
// not, as far as that can be seen. open_mpi: the major version; nothing for another MPI. settings: MpiSession's. Pure.
std::string why_ranks_end_together(const Environment& environment, Launcher launcher, std::optional<int> open_mpi,
                                   std::span<const Setting> settings);

// The processes of all ranks, if each rank can watch each; else says in `why`, on all ranks, what stands against it.
// COLLECTIVE.
PeerProcesses watched_processes(Communicator& world, std::string& why);

// The message of a job that ends because it cannot go on without a rank.
std::string describe_lost(int rank, const PeerProcess& process);

}  // namespace lockstep
