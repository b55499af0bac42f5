#pragma once

#include <string>

#include "collective/communicator.h"
#include "collective/window.h"
#include "ps/group.h"

namespace lockstep {

// Tries a window whose values clients add to, before they do: each client adds whole numbers at every server, all at
// once, and all ranks compare the sums. Returns what is wrong, as this rank has seen it; "" if no number was lost. The
// memory is all zeros afterwards, as before. A few KB go each way. ranks: the group of the window. COLLECTIVE over it.
std::string try_added(Window& window, Communicator& ranks, const PsGroup& group);

}  // namespace lockstep
