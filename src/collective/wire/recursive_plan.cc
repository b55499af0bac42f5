#include <bit>
#include <functional>

#include "collective/slices.h"
#include "collective/wire/segment_plan.h"

namespace lockstep {
namespace {

// The ranks of a group of any size around a plan for a power of two of them: the ranks beyond it give their values to a
// rank below, which has them in its own when `among_power` begins, and get the sums back.
SegmentPlan around_power(std::int64_t count, int ranks, int rank, std::int64_t segment,
                         const std::function<void(SegmentPlan&, int power)>& among_power) {
  using enum SegmentStep::Received;
  const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)));
  const FlatRange all{0, count};
  SegmentPlan plan;
  if (rank >= power) {
    const RankRun partner{rank - power, 1};
    append_segments(plan, {all, kNobody, added, partner}, segment);
    append_segments(plan, {all, partner, replaces, kNobody}, segment);
    return plan;
  }
  const bool has_partner = rank + power < ranks;
  const RankRun partner{rank + power, 1};
  if (has_partner) append_segments(plan, {all, partner, added, kNobody}, segment);
  among_power(plan, power);
  if (has_partner) append_segments(plan, {all, kNobody, added, partner}, segment);
  return plan;
}

}  // namespace

SegmentPlan doubling_plan(std::int64_t count, int ranks, int rank, std::int64_t segment) {
  using enum SegmentStep::Received;
  return around_power(count, ranks, rank, segment, [&](SegmentPlan& plan, int power) {
    for (int distance = 1; distance < power; distance *= 2) {
      const RankRun partner{rank ^ distance, 1};
      append_segments(plan, {{0, count}, kNobody, added, partner}, segment);
      append_segments(plan, {{0, count}, partner, added, kNobody}, segment);
    }
  });
}

SegmentPlan halving_plan(std::int64_t count, int ranks, int rank, std::int64_t segment) {
  using enum SegmentStep::Received;
  return around_power(count, ranks, rank, segment, [&](SegmentPlan& plan, int power) {
    // The values of `size` ranks from `first` on, of the power of two that divide them.
    const auto block = [&](int first, int size) {
      return FlatRange{equal_slice(count, power, first).begin, equal_slice(count, power, first + size - 1).end};
    };
    for (int size = power / 2; size >= 1; size /= 2) {
      const int mine = rank / size * size;
      const RankRun partner{rank ^ size, 1};
      append_segments(plan, {block(mine ^ size, size), kNobody, added, partner}, segment);
      append_segments(plan, {block(mine, size), partner, added, kNobody}, segment);
    }
    for (int size = 1; size < power; size *= 2) {
      const int mine = rank / size * size;
      const RankRun partner{rank ^ size, 1};
      append_segments(plan, {block(mine, size), kNobody, added, partner}, segment);
      append_segments(plan, {block(mine ^ size, size), partner, replaces, kNobody}, segment);
    }
  });
}

}  // namespace lockstep
