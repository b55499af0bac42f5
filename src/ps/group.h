#pragma once

#include <cstddef>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/flat_range.h"

namespace lockstep {

inline constexpr int kChiefClient = 0;

// The ranks of a job with parameter servers, in the group of its Messages: the clients, which are its workers, then the
// servers. Client 0 is the chief; server 0 is the first server, which decides.
struct PsGroup {
  int clients = 0;
  std::vector<FlatRange> ranges;      // of each server: consecutive, together the whole store
  DType wire_dtype = DType::float32;  // in which values go to clients, and gradients to servers

  int servers() const { return static_cast<int>(ranges.size()); }
  int rank_of(int server) const { return clients + server; }
  FlatRange range(int server) const { return ranges.at(static_cast<std::size_t>(server)); }
};

}  // namespace lockstep
