#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/trace.h"
#include "collective/communicator.h"
#include "collective/shm/shared_memory.h"

namespace lockstep {

// A communicator, or the reason why there is none: the same text on every rank.
struct ShmResult {
  std::unique_ptr<Communicator> communicator;
  std::string why_not;
};

// Ranks of one host that work on each other's memory.
//
// Values in memory of its allocator() are summed, gathered and copied where they lie: each rank adds up its slice, in
// the order of ranks, and writes it to everyone. Values elsewhere (and small ones) go through areas of shared
// memory, a piece at a time. Either way an element's sum is one fixed sequence of roundings, so the bits depend
// neither on how values are cut into calls nor on where they lie; they are those of the thread communicator.
//
// Groups made by split() work in place on memory of this one's allocator as well as on memory of their own.
//
// A rank that has died is an Error(internal) of the others that names it, within half a second. So is a rank that
// called something else, and one whose communicator was destroyed without close(): the group is then unusable.
//
// The ranks of `group` join, in its order; it is used here only. COLLECTIVE. The Trace must outlive the result. drive:
// called at least every millisecond while a rank waits for others (MpiSession::driver()); may be empty. A rank may have
// one such communicator at a time, besides those of its split(). why_not: the ranks are on several hosts, cannot open
// each other's memory (containers of their own), or lack the room for it.
ShmResult make_shm_communicator(Communicator& group, Trace& trace, Sharing sharing = Sharing::mapped,
                                std::function<void()> drive = {});

}  // namespace lockstep
