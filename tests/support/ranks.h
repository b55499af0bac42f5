#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "base/trace.h"
#include "collective/communicator.h"
#include "collective/watch/node_page.h"

namespace lockstep {

class Messages;
class MpiSession;
class ThreadWorld;
class Window;

// A test body's view of one rank of a world.
struct RankContext {
  Communicator& communicator;
  Trace& trace;
  NodePage& page;                        // a page with a line for every rank of the world (of the host under MPI)
  const ThreadWorld* threads = nullptr;  // the world of ranks that are threads
};

// Runs body as every rank of a world; for_ranks() gives it the communicator alone.
//
// In a unit run: ranks are threads, in worlds of 1, 2, 3, 4, 5 and 8 (with a sanitizer of 1, 2 and 5), one after the
// other. If a rank throws, all waits of its world throw; the first failure is rethrown when all ranks have ended.
// Under mpirun (the test binary's --mpi): once, on the world that mpirun started. A rank that throws prints why and
// ends the job, so no rank waits for it.
// CHECK and REQUIRE work in body. The world is closed here, not in body.
void for_ranks(const std::function<void(Communicator&)>& body);
void for_rank_contexts(const std::function<void(RankContext&)>& body);

// The same in one world of threads, also under mpirun.
void for_thread_ranks(int world_size, const std::function<void(RankContext&)>& body);

// Returns when every rank of the group has come. COLLECTIVE.
void meet(Communicator& communicator);

// Makes Messages between the ranks of a context that for_rank_contexts() or for_thread_ranks() made. COLLECTIVE.
std::unique_ptr<Messages> make_messages(RankContext& context);

// The same for a window, in which this rank offers `bytes` bytes. COLLECTIVE.
std::unique_ptr<Window> make_window(RankContext& context, std::int64_t bytes);

// For main(): sets the session of --mpi, or null.
void use_mpi_session(MpiSession* session);

}  // namespace lockstep
