#pragma once

#include <span>

#include "collective/communicator.h"
#include "collective/shm/meeting.h"

namespace lockstep {

// Communicator::exchange through the areas of a meeting: each area has a lane for each receiver, which carries a
// stream: the sizes of the pieces, then the pieces. COLLECTIVE. Errors: Error(internal) of a rank that awaits other
// pieces than are sent to it; the others learn it at their next operation.
void staged_exchange(Meeting& meeting, std::span<const SendPiece> sends, std::span<const ReceivePiece> receives);

}  // namespace lockstep
