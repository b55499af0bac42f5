#pragma once

namespace lockstep {

// A moment in a device's stream of work: it has passed when all work submitted before it is done. Empty = passed
// already, as always on the CPU. Owned by the Backend that recorded it.
struct Event {
  void* handle = nullptr;
};

}  // namespace lockstep
