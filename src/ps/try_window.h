#pragma once

#include <string>

#include "collective/communicator.h"
#include "collective/window.h"
#include "ps/group.h"

namespace lockstep {

// Tries a window before servers and clients use it: each client writes into its mailboxes and reads them back, each
// server looks for that in its memory, and what a server writes into its first copy all clients read. Returns what is
// wrong, as this rank has seen it; "" if all bytes are right. The memory is all zeros afterwards, as before. A few KB
// go each way. copies: of a server's values. ranks: the group of the window. COLLECTIVE over it.
std::string try_window(Window& window, Communicator& ranks, const PsGroup& group, int copies);

}  // namespace lockstep
