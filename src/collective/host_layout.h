#pragma once

#include <span>
#include <string>
#include <vector>

#include "collective/communicator.h"

namespace lockstep {

// The hosts of a group's ranks. A plain value, the same on all ranks; any thread.
class HostLayout {
 public:
  // host_of: the host of each rank, as any numbers. Hosts are numbered in the order of their first ranks. Pure.
  explicit HostLayout(std::span<const int> host_of);

  int hosts() const { return static_cast<int>(ranks_.size()); }
  int host_of(int rank) const { return host_of_.at(static_cast<std::size_t>(rank)); }
  int ranks_on(int host) const { return ranks_.at(static_cast<std::size_t>(host)); }
  int most_ranks() const;  // largest number of ranks on a host
  // Returns whether each host's ranks follow each other: 0 0 1 1, not 0 1 0 1.
  bool in_blocks() const { return in_blocks_; }
  // As text: "2 + 2 + 1 ranks", "16 x 8 ranks", or "ranks on hosts 0 1 0 1" if they do not follow each other.
  std::string text() const;

 private:
  std::vector<int> host_of_;
  std::vector<int> ranks_;
  bool in_blocks_ = true;
};

// Finds the layout by the host names that the ranks give. COLLECTIVE over the group.
HostLayout find_hosts(Communicator& group, const std::string& host_name);

}  // namespace lockstep
