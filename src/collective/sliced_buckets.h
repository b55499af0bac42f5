#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/flat_range.h"

namespace lockstep {

// A bucket of a flat store, cut into one slice for each rank, in their order, for reduce-scatter and all-gather.
struct SlicedBucket {
  FlatRange range;                // of the store
  std::vector<FlatRange> slices;  // of the bucket: the first begins at 0
};

// Which rank owns what of a store of `count` elements. Buckets are cut from its end on, as the backward pass fills them
// (collective/bucket_plan.h), of at least bucket_elements but for the last. Pure; the same on every rank.

// For owners that may begin and end anywhere but for `granularity`: buckets and slices begin at multiples of it, slices
// are as equal as can be, and so is what each rank owns of all buckets.
std::vector<SlicedBucket> slice_buckets(std::int64_t count, std::int64_t bucket_elements, int ranks,
                                        std::int64_t granularity);

// For owners of whole variables: buckets and slices begin where variables do. starts: of each variable, ascending, from
// 0. What the rank with most owns, over the buckets so far, is as little as can be.
std::vector<SlicedBucket> slice_buckets_at(std::span<const std::int64_t> starts, std::int64_t count,
                                           std::int64_t bucket_elements, int ranks);

// What a rank owns: ranges of the store in their order, neighbours joined.
std::vector<FlatRange> owned_ranges(std::span<const SlicedBucket> buckets, int rank);
// The same of each of the ranks.
std::vector<std::vector<FlatRange>> owned_by_rank(std::span<const SlicedBucket> buckets, int ranks);

}  // namespace lockstep
