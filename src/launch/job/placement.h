#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/role.h"
#include "collective/communicator.h"

namespace lockstep {

// Placement of a rank, for the start lines.
struct RankPlacement {
  Role role;
  bool has_shares;  // of the training data
  std::string host;
  std::string device;
  std::string cores;          // those it may compute on: "0-3,8"
  int host_cores = 0;         // shared by the ranks of its host; 0: not known
  std::string device_name{};  // as its driver calls it; "" if it has none
};

// Every rank's place, in the order of ranks; long texts are cut. COLLECTIVE.
std::vector<RankPlacement> gather_placements(Communicator& world, const RankPlacement& mine);

// One line per rank for small worlds, for large ones one line for neighbouring ranks of one host and role.
std::vector<std::string> describe_placements(std::span<const RankPlacement> places);

// A warning of hosts with more ranks than cores, the fullest first; "" if there are none. Parameter servers do not
// count: they need little of a core.
std::string describe_crowded_hosts(std::span<const RankPlacement> places);

}  // namespace lockstep
