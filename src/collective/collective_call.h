#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/trace.h"
#include "tensor/dtype.h"
#include "tensor/flat_range.h"

namespace lockstep {

// The part of a rank's call that must be the same on all ranks of the group. A plain value that may be sent as bytes to
// the other ranks of the job.
struct CollectiveCall {
  static constexpr std::int64_t kNoCount = -1;

  Operation operation = Operation::none;
  DType dtype = DType::uint8;
  int root = -1;                  // -1 = none
  std::int64_t count = kNoCount;  // elements of dtype; kNoCount = each rank has its own, or none
  std::uint64_t slices = 0;       // hash_of(slices); 0 = none

  bool operator==(const CollectiveCall&) const = default;
};

// A hash of the slices, never 0; that of other slices is the same with probability 2^-64.
std::uint64_t hash_of(std::span<const FlatRange> slices);

// The first two calls that differ, as text: "rank 0 calls ... where rank 2 calls ...", the same on every rank that has
// the same calls; "" if all are equal. calls[i] is what rank ranks[i] calls, rank i if no ranks are given.
std::string mismatch(std::span<const CollectiveCall> calls, std::span<const int> ranks = {});

}  // namespace lockstep
