#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/flat_range.h"

namespace lockstep {

// A bucket of a flat store, cut into one slice for each rank, in their order, for reduce-scatter and all-gather.
struct SlicedBucket {
  FlatRange range;                // a range of the store
  std::vector<FlatRange> slices;  // ranges of the bucket: the first begins at 0
};

// The division of a store of `count` elements among ranks. Buckets are cut from its end on, as the backward pass fills
// them (collective/bucket_plan.h), of at least bucket_elements but for the last. Pure; the same on every rank.

// For owners that may begin and end at any multiple of `granularity`: buckets and slices begin at such multiples,
// slices are as equal as possible, and so is each rank's part of all buckets.
std::vector<SlicedBucket> slice_buckets(std::int64_t count, std::int64_t bucket_elements, int ranks,
                                        std::int64_t granularity);

// For owners of whole variables: buckets and slices begin where variables do. starts: the start of each variable,
// ascending, from 0. The rank with most, over the buckets so far, owns as little as possible.
std::vector<SlicedBucket> slice_buckets_at(std::span<const std::int64_t> starts, std::int64_t count,
                                           std::int64_t bucket_elements, int ranks);

// The ranges of the store that a rank owns, in order, neighbours joined.
std::vector<FlatRange> owned_ranges(std::span<const SlicedBucket> buckets, int rank);
// The same for each of the ranks.
std::vector<std::vector<FlatRange>> owned_by_rank(std::span<const SlicedBucket> buckets, int ranks);

}  // namespace lockstep
