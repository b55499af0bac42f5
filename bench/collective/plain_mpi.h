#pragma once

#include <memory>

#include "implementation.h"

namespace lockstep::bench {

// The peer of our implementations: each operation is the one MPI call that a program would make, on heap memory (on
// huge pages, like ours), with glibc's own thresholds for giving memory back. COLLECTIVE. Throws Error(configuration)
// of every rank in a process that was started alone.
std::unique_ptr<Implementation> make_plain_mpi(const CommunicatorParts& parts);

}  // namespace lockstep::bench
