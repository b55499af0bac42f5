#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/flat_range.h"

// Plans of sums between hosts as data: pure arithmetic, no message is sent here.
namespace lockstep {

// The ranks first, first + 1, ... of a group, `count` of them; after the last rank comes rank 0.
struct RankRun {
  int first = 0;
  int count = 0;
  bool operator==(const RankRun&) const = default;
};
inline constexpr RankRun kNobody{};

// One step of one rank, on one range of the values: it receives the copies of the ranks in `from`, adds them to its own
// or replaces its own by the only one, and sends the result to the ranks in `to`. Either run may be empty.
struct SegmentStep {
  enum class Received { added, replaces };

  FlatRange range;
  RankRun from;
  Received received = Received::added;  // added in the order of ranks, its own among them
  RankRun to;
  bool operator==(const SegmentStep&) const = default;
};

// All steps of one rank, in an order in which they can be made. The messages from one rank to another are sent and
// received in the same order. The plans of the ranks of a group fit each other: taken together, no step waits for
// itself.
using SegmentPlan = std::vector<SegmentStep>;

// The half of an all-reduce that a plan makes, or both.
enum class PlanPart { all_reduce, reduce_scatter, all_gather };

// Appends the step, cut into steps of at most `segment` values each, so that the first values travel on while the rest
// are still under way. A step of no values is left out.
void append_segments(SegmentPlan& plan, SegmentStep step, std::int64_t segment);

// In a ring each rank sends to the next one only: a slice goes round once and is summed on its way, and once more to
// bring the sums to all. Of S bytes a rank of P sends 2 S (P-1)/P, half of that for one part, in P-1 messages for each
// time round. The order in which a value is added depends on the slice that it is in.
// slices: one for each rank of the group (collective/slices.h). segment: the most values in a message.
SegmentPlan ring_plan(PlanPart part, std::span<const FlatRange> slices, int rank, std::int64_t segment);

// In a direct exchange each rank gets its slice of all other ranks' values, adds them up and sends the sum to all. The
// bytes are those of the ring, in two rounds. Values are added in the order of ranks, however they are cut.
SegmentPlan direct_plan(PlanPart part, std::span<const FlatRange> slices, int rank, std::int64_t segment);

// An all-reduce in one round: each rank sends all it has to all others, and adds up everything. Values are added in the
// order of ranks. A rank sends S (P-1) bytes.
SegmentPlan one_round_plan(std::int64_t count, int ranks, int rank, std::int64_t segment);

// An all-reduce by recursive doubling: in round k ranks that are 2^k apart exchange all they have and both add it up.
// With P no power of two, the ranks beyond the largest power of two in it give their values to a rank below and get the
// sums back. A rank sends S log2 P bytes, in as many rounds.
SegmentPlan doubling_plan(std::int64_t count, int ranks, int rank, std::int64_t segment);

// An all-reduce by recursive halving and doubling (Rabenseifner, "Optimization of collective reduction operations",
// ICCS 2004): ranks exchange halves, quarters, ... of the values until each has the sums of one part, and then these,
// in reverse. A rank sends 2 S (P-1)/P bytes in 2 log2 P rounds if P is a power of two; the ranks beyond one are as in
// doubling_plan().
SegmentPlan halving_plan(std::int64_t count, int ranks, int rank, std::int64_t segment);

}  // namespace lockstep
