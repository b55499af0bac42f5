#pragma once

#include <memory>

#include "collective/messages.h"

namespace lockstep {

class MpiSession;

// Makes Messages between the ranks of the session's world, over a communicator of their own, so that their tags are
// apart from those of all others. COLLECTIVE. The session must outlive them. REQUIRES: the world was formed.
//
// Each call of MPI is made under session.mutex(). A message of another size than its receiver expects is refused
// without harm if it is there when receive() is called. If it comes later and is too long, MPI may write past the end
// of the buffer (Open MPI 4.1 does) before done() reports it.
std::unique_ptr<Messages> make_mpi_messages(MpiSession& session);

}  // namespace lockstep
