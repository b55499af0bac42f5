#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/flat_range.h"

namespace lockstep {

// The slices of [0, count) for the ranks of a group, in their order: as equal as possible, each beginning at a multiple
// of `granularity`, but for those that begin at the end, which are empty. If the multiples cannot be divided evenly,
// the ranks from `first` on, and after the last rank from 0 on, get one more each. Pure.
std::vector<FlatRange> equal_slices(std::int64_t count, int ranks, std::int64_t granularity = 1, int first = 0);
// The slice of one rank.
FlatRange equal_slice(std::int64_t count, int ranks, int rank, std::int64_t granularity = 1, int first = 0);

// Throws Error(internal) unless these are slices of `count` values for as many ranks, as Communicator requires them.
void check_slices(std::int64_t count, std::span<const FlatRange> slices, int ranks);

// The part of each slice that lies in `piece`, a range of the same values: as slices of the piece.
std::vector<FlatRange> slices_within(FlatRange piece, std::span<const FlatRange> slices);

inline constexpr std::size_t kCacheLine = 64;  // bytes
// A rank's slice if all begin at cache lines, as the values do: then no two ranks write to one line.
FlatRange cache_line_slice(std::int64_t count, DType dtype, int ranks, int rank);

}  // namespace lockstep
