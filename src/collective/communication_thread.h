#pragma once

#include <memory>

#include "collective/communicator.h"

namespace lockstep {

// --overlap=thread: runs any communicator's operations on a thread of their own, in the order of the calls, while the
// caller computes on. Operations on tensors return at once, everything else waits for its turn and its end.
//
// set_overlap() moves all operations to the caller's thread and back, to measure which is faster. The other thread then
// waits: the inner communicator is never called by two at once.
//
// The thread may run on all cores that the host allows, not only on the one that mpirun bound this rank to. The groups
// that split() makes share it, so there is one operation at a time.
//
// Errors: an operation's exception comes out of wait() of its ticket and of all later ones, and of every later call;
// operations queued after it do not run. A ticket that finished before stays good.
// Ownership: takes the communicator. Memory of allocator() that is freed while operations are under way stays until
// they are done, so that a rank may unwind in the middle of a step.
// The destructor without close() is local: it drops what is queued, abandons the inner communicator and joins the
// thread if that ends within a second. If not (an MPI call that waits for a peer), the thread is left to itself: it
// then owns all it works on, but not the Trace and the session, so the process must end soon, as run_rank sees to.
std::unique_ptr<Communicator> make_communication_thread(std::unique_ptr<Communicator> inner);

}  // namespace lockstep
