#pragma once

#include <span>
#include <string>
#include <vector>

#include "collective/communicator.h"

namespace lockstep {

// Where a rank runs, for the start lines.
struct RankPlace {
  std::string host;
  std::string device;
  std::string cores;  // that it may compute on: "0-3,8"
};

// Every rank's place, in the order of ranks. COLLECTIVE.
std::vector<RankPlace> gather_places(Communicator& world, const RankPlace& mine);

// A line a rank for small worlds, a line a host for large ones.
std::vector<std::string> describe_places(std::span<const RankPlace> places);

}  // namespace lockstep
