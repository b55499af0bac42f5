#pragma once

#include <cstdint>

#include "collective/shm/meeting.h"

namespace lockstep {

// Placement of the values of the operation that a meeting was about.
enum class Placement {
  in_place,  // all ranks' values lie in one region of shared memory
  staged,    // no rank's call names a region
  mixed,     // neither: treated as staged, but not all ranks knew that beforehand
};

inline Placement placement(const Meeting& meeting) {
  Placement found = meeting.call(0).region != 0 ? Placement::in_place : Placement::staged;
  for (int peer = 1; peer < meeting.size(); ++peer) {
    if (meeting.call(peer).region != meeting.call(0).region) found = Placement::mixed;
  }
  return found;
}

// Runs an operation: in_place() if all values lie in one region, with a meeting after it, so that everyone's values
// stay as they are until all are done with them. Else round by round through the areas: fill(n) puts this rank's bytes
// into the next area, then all meet, then use(n) reads everyone's. The first round is the meeting that says what the
// operation is, so a small one takes no other.
template <class Fill, class Use, class InPlace>
void run_rounds(Meeting& meeting, const Call& call, std::int64_t rounds, Fill fill, Use use, InPlace in_place) {
  if (call.region == 0) fill(std::int64_t{0});
  meeting.meet(call);
  const Placement where = placement(meeting);
  if (where == Placement::in_place) {
    in_place();
    meeting.meet();
    return;
  }
  std::int64_t round = 0;
  if (where == Placement::staged) use(round++);
  for (; round < rounds; ++round) {
    fill(round);
    meeting.meet();
    use(round);
  }
}

}  // namespace lockstep
