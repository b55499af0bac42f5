#include "collective/wire/segment_plan.h"

namespace lockstep {

SegmentPlan ring_plan(PlanPart part, std::span<const FlatRange> slices, int rank, std::int64_t segment) {
  using enum SegmentStep::Received;
  const int ranks = static_cast<int>(slices.size());
  if (ranks == 1) return {};
  const RankRun previous{(rank + ranks - 1) % ranks, 1};
  const RankRun next{(rank + 1) % ranks, 1};

  SegmentPlan plan;
  // The slice of the rank `hops` places before this one.
  const auto pass_on = [&](int hops, RankRun from, SegmentStep::Received received, RankRun to) {
    const auto owner = static_cast<std::size_t>((rank + ranks - hops) % ranks);
    append_segments(plan, {slices[owner], from, received, to}, segment);
  };
  if (part == PlanPart::all_gather) {
    pass_on(0, kNobody, added, next);
  } else {
    pass_on(1, kNobody, added, next);
    for (int hops = 2; hops < ranks; ++hops) pass_on(hops, previous, added, next);
    pass_on(0, previous, added, part == PlanPart::all_reduce ? next : kNobody);
  }
  if (part != PlanPart::reduce_scatter) {
    for (int hops = 1; hops < ranks; ++hops) pass_on(hops, previous, replaces, hops + 1 < ranks ? next : kNobody);
  }
  return plan;
}

}  // namespace lockstep
