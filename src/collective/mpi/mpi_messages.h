#pragma once

#include <memory>
#include <span>

#include "collective/messages.h"

namespace lockstep {

class MpiSession;

// Makes Messages between ranks of the session's world, over a communicator of their own, so that their tags are apart
// from those of all others. members: these ranks' numbers in the world, in the order of their numbers here; the whole
// world unless given. COLLECTIVE over the members. The session must outlive them. REQUIRES: the world was formed.
//
// Each call of MPI is made under session.mutex(). A message of another size than its receiver expects is refused
// without harm if it is there when receive() is called. If it comes later and is too long, MPI may write past the end
// of the buffer (Open MPI 4.1 does) before done() reports it.
std::unique_ptr<Messages> make_mpi_messages(MpiSession& session, std::span<const int> members = {});

}  // namespace lockstep
