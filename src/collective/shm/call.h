#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/trace.h"
#include "tensor/dtype.h"
#include "tensor/flat_range.h"

namespace lockstep {

// What a rank says of the operation it has come for. Half a cache line, copied into shared memory.
struct Call {
  // The same on all ranks, or it is a mistake.
  Operation operation = Operation::none;
  DType dtype = DType::uint8;
  std::int32_t root = 0;
  std::int64_t count = 0;    // elements
  std::uint64_t slices = 0;  // digest(), 0 = none

  // Of this rank.
  std::uint64_t region = 0;  // where its values lie: memory of an allocator (SharedRegions), 0 = elsewhere
  std::uint64_t offset = 0;  // in that memory; of an exchange: bytes of its longest stream
};

bool same(const Call& one, const Call& other);

// "all_reduce of 17 float32"
std::string text(const Call& call);

// A number that differs, but for chance, where slices do; never 0.
std::uint64_t digest(std::span<const FlatRange> slices);

}  // namespace lockstep
