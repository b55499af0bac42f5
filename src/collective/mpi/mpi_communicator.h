#pragma once

#include <memory>

#include "base/trace.h"
#include "collective/communicator.h"

namespace lockstep {

class MpiSession;

// When ranks compare their calls before each operation, by one more small message to all (two for an exchange). Without
// it, ranks whose calls differ hang, or mix up their data.
enum class CheckCalls { in_debug_builds, always };

// The world of mpirun or srun, by blocking MPI calls under the session's lock. COLLECTIVE. Session and Trace must
// outlive it. A call that fails is an Error(internal) with the call, its count and MPI's own words. `check` holds for
// all that split() makes of it, and is the same on all ranks.
//
// all_reduce goes in pieces of at most 16 MB: Open MPI takes fresh memory for each call, and above that the page faults
// cost as much as the sum. The pieces are the same on every rank, and so are the bits.
std::unique_ptr<Communicator> make_mpi_communicator(MpiSession& session, Trace& trace,
                                                    CheckCalls check = CheckCalls::in_debug_builds);

}  // namespace lockstep
