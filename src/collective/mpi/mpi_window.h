#pragma once

#include <cstdint>
#include <memory>

#include "collective/window.h"

namespace lockstep {

class MpiSession;

// Makes a window over the session's world, in which this rank offers `bytes` bytes (0 or more; ranks may differ). The
// memory is MPI's own (MPI_Win_allocate): on one host Open MPI then copies between the processes' memory directly.
// COLLECTIVE. The session must outlive the window, and has started MPI for one on these ranks' hosts.
//
// Each MPI call is made under session.mutex(). flush() polls its transfers and releases the lock between polls; only
// then it holds the lock for MPI_Win_flush. A word operation holds it until the result is there. On one host (osc=sm)
// both wait at most for another rank's add() or word operation on the same part. Over a network they last until the
// target is inside MPI; this rank's other threads wait for the lock meanwhile, so what brings the target there must not
// depend on them.
//
// MPI promises that words are atomic where ranks use only one of fetch_add(), compare_swap() and store() on a word at
// the same time, besides load(). Open MPI keeps them atomic in any mixture. Where shared memory has too little room
// (collective/mpi/window_room.h), the call fails as Error(internal) on one rank, and the others wait in it.
std::unique_ptr<Window> make_mpi_window(MpiSession& session, std::int64_t bytes);

}  // namespace lockstep
