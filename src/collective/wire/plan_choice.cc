#include "collective/wire/plan_choice.h"

#include <bit>

namespace lockstep {
namespace {

constexpr std::int64_t kFewestRoundsBytes = 8 << 10;

// Halving takes 2 log2 P rounds in place of 2 (P-1), but a round waits for the one before. This pays while a rank's
// slice is small; with P no power of two, some ranks send twice as much.
constexpr std::int64_t kHalvedSliceBytes = 64 << 10;
constexpr std::int64_t kUnevenlyHalvedSliceBytes = 16 << 10;

}  // namespace

bool keeps_order(SumOrder order, int ranks) { return order == SumOrder::ranks && ranks <= kMostOrdered; }

SumPlan choose_plan(std::int64_t bytes, bool half_width, int ranks, SumOrder order) {
  const bool ordered = keeps_order(order, ranks);
  if (bytes <= kFewestRoundsBytes) return ordered ? SumPlan::one_round : SumPlan::doubling;
  if (ordered || half_width) return SumPlan::direct;
  const bool even = std::has_single_bit(static_cast<unsigned>(ranks));
  const std::int64_t most = (even ? kHalvedSliceBytes : kUnevenlyHalvedSliceBytes) * ranks;
  return bytes <= most ? SumPlan::halving : SumPlan::ring;
}

}  // namespace lockstep
