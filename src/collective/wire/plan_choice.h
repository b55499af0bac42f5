#pragma once

#include <cstdint>

namespace lockstep {

// The order in which sums between hosts add the values of ranks.
enum class SumOrder {
  any,   // whatever is fastest; it may depend on how values are cut into calls and slices
  ranks  // that of the ranks, as long as there are no more than kMostOrdered of them; with more, as any
};
inline constexpr int kMostOrdered = 8;
bool keeps_order(SumOrder order, int ranks);

// The plans of collective/wire/segment_plan.h.
enum class SumPlan { one_round, doubling, halving, ring, direct };

// The plan of an all-reduce of so many bytes. half_width: values of 16 bits, which a ring would round at each hop,
// while a direct exchange adds them in float32 and rounds once. Measured over four hosts at 1 Gbit/s (bench/README.md).
// Pure.
SumPlan choose_plan(std::int64_t bytes, bool half_width, int ranks, SumOrder order);

}  // namespace lockstep
