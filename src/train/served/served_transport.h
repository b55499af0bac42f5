#pragma once

#include <memory>
#include <string>

#include "collective/window.h"
#include "ps/group.h"
#include "train/config/training_rank.h"
#include "train/served/transport_choice.h"

namespace lockstep {

// The means by which values and gradients travel between this rank and the others of a job with parameter servers.
struct ServedTransport {
  int copies = 2;                  // of a server's values
  bool adds = false;               // clients add to the one copy in the window (ps/added_transfer.h)
  std::unique_ptr<Window> window;  // null: as messages
  std::string description;         // for the start-up lines
};

// The number of copies of its values that each server has. One more than there are clients would mean that no update
// ever waits for a client that reads the values. These waits are short, and a third copy makes them rare.
int copies_of_values(const PsGroup& group);

// Makes and tries the window, if one was chosen; without room for it, or if it does not work, auto takes messages.
// COLLECTIVE over job.ranks, as is the window's close(). Throws Error of every rank if there has to be a window:
// configuration without room, internal if it does not work.
ServedTransport open_transport(const ServedJob& job, TransportChoice choice, const PsGroup& group, Trace& trace);

}  // namespace lockstep
