#pragma once

#include <memory>

#include "base/trace.h"
#include "collective/communicator.h"

namespace lockstep {

// A world of one: every sum is the value itself. Needs no MPI and no launcher. Threads, errors: as Communicator.
// The Trace must outlive it.
std::unique_ptr<Communicator> make_self_communicator(Trace& trace);

}  // namespace lockstep
