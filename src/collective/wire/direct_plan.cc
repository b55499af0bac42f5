#include <algorithm>

#include "collective/wire/segment_plan.h"

namespace lockstep {
namespace {

RankRun all_others(int rank, int ranks) { return {(rank + 1) % ranks, ranks - 1}; }

// Calls use(rank, segment of its slice) for all other ranks: the first segment of each, then the second, so that all of
// them get their values at the same time. Each rank begins with another one.
template <class Use>
void for_segments_of_others(std::span<const FlatRange> slices, int rank, std::int64_t segment, Use use) {
  const int ranks = static_cast<int>(slices.size());
  const std::int64_t longest = std::ranges::max(slices, {}, &FlatRange::count).count();
  for (std::int64_t offset = 0; offset < longest; offset += segment) {
    for (int hops = 1; hops < ranks; ++hops) {
      const int other = (rank + hops) % ranks;
      const FlatRange slice = slices[static_cast<std::size_t>(other)];
      const std::int64_t begin = slice.begin + offset;
      if (begin < slice.end) use(other, FlatRange{begin, std::min(begin + segment, slice.end)});
    }
  }
}

}  // namespace

SegmentPlan direct_plan(PlanPart part, std::span<const FlatRange> slices, int rank, std::int64_t segment) {
  using enum SegmentStep::Received;
  if (slices.size() == 1) return {};
  const FlatRange own = slices[static_cast<std::size_t>(rank)];
  const RankRun others = all_others(rank, static_cast<int>(slices.size()));

  SegmentPlan plan;
  if (part == PlanPart::all_gather) {
    append_segments(plan, {own, kNobody, added, others}, segment);
  } else {
    for_segments_of_others(slices, rank, segment, [&](int other, FlatRange range) {
      plan.push_back({range, kNobody, added, {other, 1}});
    });
    append_segments(plan, {own, others, added, part == PlanPart::all_reduce ? others : kNobody}, segment);
  }
  if (part != PlanPart::reduce_scatter) {
    for_segments_of_others(slices, rank, segment, [&](int other, FlatRange range) {
      plan.push_back({range, {other, 1}, replaces, kNobody});
    });
  }
  return plan;
}

SegmentPlan one_round_plan(std::int64_t count, int ranks, int rank, std::int64_t segment) {
  if (ranks == 1) return {};
  const RankRun others = all_others(rank, ranks);
  SegmentPlan plan;
  append_segments(plan, {{0, count}, kNobody, SegmentStep::Received::added, others}, segment);
  append_segments(plan, {{0, count}, others, SegmentStep::Received::added, kNobody}, segment);
  return plan;
}

}  // namespace lockstep
