#include "collective/sliced_buckets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/error.h"
#include "collective/slices.h"
#include "tensor/flat_ranges.h"

namespace lockstep {
namespace {

void check_plan(std::int64_t count, std::int64_t bucket_elements, int ranks) {
  LS_CHECK(count >= 0 && bucket_elements > 0 && ranks > 0,
           fmt::format("{} elements in buckets of {} for {} ranks", count, bucket_elements, ranks));
}

// Cuts a bucket at the borders of its variables so that no rank comes to own more than `most`; returns no slices if
// that is impossible. Each rank in turn takes as many variables as it may.
std::vector<FlatRange> cut(std::span<const std::int64_t> borders, std::span<const std::int64_t> owned,
                           std::int64_t most) {
  std::vector<FlatRange> slices;
  slices.reserve(owned.size());
  std::size_t next = 0;  // border
  for (const std::int64_t already : owned) {
    const std::size_t first = next;
    while (next + 1 < borders.size() && already + borders[next + 1] - borders[first] <= most) ++next;
    slices.push_back({borders[first] - borders.front(), borders[next] - borders.front()});
  }
  if (next + 1 < borders.size()) slices.clear();
  return slices;
}

// The cut after which the rank with most owns as little as possible; adds the slices to `owned`.
std::vector<FlatRange> fairest_cut(std::span<const std::int64_t> borders, std::vector<std::int64_t>& owned) {
  std::int64_t too_little = -1;
  std::int64_t enough = *std::ranges::max_element(owned) + borders.back() - borders.front();
  while (too_little + 1 < enough) {
    const std::int64_t middle = too_little + (enough - too_little) / 2;
    (cut(borders, owned, middle).empty() ? too_little : enough) = middle;
  }
  std::vector<FlatRange> slices = cut(borders, owned, enough);
  for (std::size_t rank = 0; rank < owned.size(); ++rank) owned[rank] += slices[rank].count();
  return slices;
}

}  // namespace

std::vector<SlicedBucket> slice_buckets(std::int64_t count, std::int64_t bucket_elements, int ranks,
                                        std::int64_t granularity) {
  check_plan(count, bucket_elements, ranks);
  std::vector<SlicedBucket> buckets;
  // The grains left over go round the ranks, so that over many buckets none owns more than a grain more than another.
  int first = 0;
  for (std::int64_t end = count; end > 0; end = buckets.back().range.begin) {
    const std::int64_t begin = std::max<std::int64_t>(end - bucket_elements, 0) / granularity * granularity;
    buckets.push_back({.range = {begin, end}, .slices = equal_slices(end - begin, ranks, granularity, first)});
    const std::int64_t grains = (end - begin + granularity - 1) / granularity;
    first = static_cast<int>((first + grains) % ranks);
  }
  return buckets;
}

std::vector<SlicedBucket> slice_buckets_at(std::span<const std::int64_t> starts, std::int64_t count,
                                           std::int64_t bucket_elements, int ranks) {
  check_plan(count, bucket_elements, ranks);
  std::vector<std::int64_t> borders(starts.begin(), starts.end());
  borders.push_back(count);
  LS_CHECK(borders.front() == 0 && std::ranges::is_sorted(borders),
           "variables that do not begin at 0, or out of order");
  std::vector<SlicedBucket> buckets;
  std::vector<std::int64_t> owned(static_cast<std::size_t>(ranks), 0);
  for (std::size_t end = borders.size() - 1; end > 0;) {
    std::size_t begin = end - 1;
    while (begin > 0 && borders[end] - borders[begin] < bucket_elements) --begin;
    const auto own = std::span(borders).subspan(begin, end - begin + 1);
    buckets.push_back({.range = {borders[begin], borders[end]}, .slices = fairest_cut(own, owned)});
    end = begin;
  }
  return buckets;
}

std::vector<FlatRange> owned_ranges(std::span<const SlicedBucket> buckets, int rank) {
  std::vector<FlatRange> ranges;
  for (std::size_t i = buckets.size(); i-- > 0;) {  // the last bucket is the first of the store
    const FlatRange slice = buckets[i].slices.at(static_cast<std::size_t>(rank));
    if (slice.empty()) continue;
    append(ranges, {buckets[i].range.begin + slice.begin, buckets[i].range.begin + slice.end});
  }
  return ranges;
}

std::vector<std::vector<FlatRange>> owned_by_rank(std::span<const SlicedBucket> buckets, int ranks) {
  std::vector<std::vector<FlatRange>> owned;
  owned.reserve(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) owned.push_back(owned_ranges(buckets, rank));
  return owned;
}

}  // namespace lockstep
