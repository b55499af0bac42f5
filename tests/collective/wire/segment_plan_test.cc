// The plans of sums between hosts, without a message: carried out on sets of contributions, in which a value that is
// added twice, forgotten or sent too early shows.
#include "collective/wire/segment_plan.h"

#include <doctest/doctest.h>

#include <bit>
#include <deque>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "collective/slices.h"

namespace lockstep {
namespace {

using Contributions = std::vector<unsigned>;  // for each value the ranks that it is the sum of, a bit each
using Plans = std::vector<SegmentPlan>;

// The steps of all ranks of a group, made one by one in any order that the messages allow.
class PlannedGroup {
 public:
  explicit PlannedGroup(Plans plans, std::vector<Contributions> values)
      : plans_(std::move(plans)), values_(std::move(values)), next_(plans_.size()), sent_(plans_.size()) {}

  // Returns whether all steps could be made, with no message left over.
  bool run() {
    bool moved = true;
    while (moved) {
      moved = false;
      for (std::size_t rank = 0; rank < plans_.size(); ++rank) {
        while (next_[rank] < plans_[rank].size() && make(static_cast<int>(rank))) moved = true;
      }
    }
    for (std::size_t rank = 0; rank < plans_.size(); ++rank) {
      if (next_[rank] != plans_[rank].size()) return false;
    }
    for (const auto& [pair, messages] : under_way_) {
      if (!messages.empty()) return false;
    }
    return true;
  }

  const Contributions& values(int rank) const { return values_[static_cast<std::size_t>(rank)]; }
  std::int64_t sent(int rank) const { return sent_[static_cast<std::size_t>(rank)]; }

 private:
  bool make(int rank) {
    const auto at = static_cast<std::size_t>(rank);
    const SegmentStep& step = plans_[at][next_[at]];
    const int ranks = static_cast<int>(plans_.size());
    for (int number = 0; number < step.from.count; ++number) {
      if (under_way_[{(step.from.first + number) % ranks, rank}].empty()) return false;
    }
    for (int number = 0; number < step.from.count; ++number) {
      auto& messages = under_way_[{(step.from.first + number) % ranks, rank}];
      receive(rank, step, messages.front());
      messages.pop_front();
    }
    for (int number = 0; number < step.to.count; ++number) {
      const auto begin = values_[at].begin();
      under_way_[{rank, (step.to.first + number) % ranks}].emplace_back(begin + step.range.begin,
                                                                        begin + step.range.end);
      sent_[at] += step.range.count();
    }
    ++next_[at];
    return true;
  }

  void receive(int rank, const SegmentStep& step, const Contributions& copy) {
    CHECK(std::ssize(copy) == step.range.count());
    Contributions& own = values_[static_cast<std::size_t>(rank)];
    for (std::size_t i = 0; i < copy.size(); ++i) {
      unsigned& value = own[static_cast<std::size_t>(step.range.begin) + i];
      if (step.received == SegmentStep::Received::added) {
        CHECK((value & copy[i]) == 0);  // nothing is added twice
        value |= copy[i];
      } else {
        value = copy[i];
      }
    }
  }

  Plans plans_;
  std::vector<Contributions> values_;
  std::vector<std::size_t> next_;
  std::vector<std::int64_t> sent_;
  std::map<std::pair<int, int>, std::deque<Contributions>> under_way_;  // by sender and receiver
};

std::vector<Contributions> own_values(int ranks, std::int64_t count) {
  std::vector<Contributions> values;
  for (int rank = 0; rank < ranks; ++rank) values.emplace_back(static_cast<std::size_t>(count), 1U << rank);
  return values;
}

Plans plans_of(int ranks, const std::function<SegmentPlan(int rank)>& plan) {
  Plans plans;
  for (int rank = 0; rank < ranks; ++rank) plans.push_back(plan(rank));
  return plans;
}

Contributions all_of(int ranks, std::int64_t count) {
  return Contributions(static_cast<std::size_t>(count), (1U << ranks) - 1);
}

constexpr std::int64_t kSegment = 5;
const std::vector<std::int64_t> kCounts{0, 1, 4, 7, 64, 101};

// The first rank has nothing, the last one most.
std::vector<FlatRange> unequal_slices(std::int64_t count, int ranks) {
  std::vector<FlatRange> slices;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto border = [&](int before) { return before == ranks ? count : count * before / (2 * ranks); };
    slices.push_back({rank == 0 ? 0 : border(rank), border(rank + 1)});
  }
  slices.front().end = 0;
  if (ranks > 1) slices[1].begin = 0;
  if (ranks == 1) slices.front().end = count;
  return slices;
}

void check_all_reduce(int ranks, std::int64_t count, const std::function<SegmentPlan(int rank)>& plan) {
  CAPTURE(ranks);
  CAPTURE(count);
  PlannedGroup group(plans_of(ranks, plan), own_values(ranks, count));
  REQUIRE(group.run());
  for (int rank = 0; rank < ranks; ++rank) CHECK(group.values(rank) == all_of(ranks, count));
}

using SlicedPlan = SegmentPlan (*)(PlanPart, std::span<const FlatRange>, int, std::int64_t);
using WholePlan = SegmentPlan (*)(std::int64_t, int, int, std::int64_t);

}  // namespace

TEST_CASE("plans: every rank gets every other's values once") {
  for (int ranks = 1; ranks <= 13; ++ranks) {
    for (const std::int64_t count : kCounts) {
      for (const SlicedPlan plan : {ring_plan, direct_plan}) {
        for (const auto& slices : {equal_slices(count, ranks), unequal_slices(count, ranks)}) {
          check_all_reduce(ranks, count, [&](int rank) { return plan(PlanPart::all_reduce, slices, rank, kSegment); });
        }
      }
      for (const WholePlan plan : {one_round_plan, doubling_plan, halving_plan}) {
        check_all_reduce(ranks, count, [&](int rank) { return plan(count, ranks, rank, kSegment); });
      }
    }
  }
}

TEST_CASE("plans: the halves of an all-reduce leave each rank its slice, and bring all slices to all") {
  for (int ranks = 1; ranks <= 9; ++ranks) {
    for (const std::int64_t count : kCounts) {
      for (const SlicedPlan plan : {ring_plan, direct_plan}) {
        const auto slices = unequal_slices(count, ranks);
        const auto make = [&](PlanPart part) {
          return plans_of(ranks, [&](int rank) { return plan(part, slices, rank, kSegment); });
        };
        PlannedGroup scatter(make(PlanPart::reduce_scatter), own_values(ranks, count));
        REQUIRE(scatter.run());
        std::vector<Contributions> sums;
        for (int rank = 0; rank < ranks; ++rank) {
          const FlatRange slice = slices[static_cast<std::size_t>(rank)];
          for (std::int64_t i = slice.begin; i < slice.end; ++i) {
            CHECK(scatter.values(rank)[static_cast<std::size_t>(i)] == (1U << ranks) - 1);
          }
          sums.push_back(scatter.values(rank));
        }
        PlannedGroup gather(make(PlanPart::all_gather), std::move(sums));
        REQUIRE(gather.run());
        for (int rank = 0; rank < ranks; ++rank) CHECK(gather.values(rank) == all_of(ranks, count));
      }
    }
  }
}

TEST_CASE("plans: a rank sends the bytes that the algorithm costs") {
  constexpr std::int64_t kCount = 840;  // divisible by every number of ranks here
  for (int ranks = 2; ranks <= 8; ++ranks) {
    CAPTURE(ranks);
    const std::int64_t least = 2 * kCount * (ranks - 1) / ranks;
    const auto sent = [&](const std::function<SegmentPlan(int rank)>& plan) {
      PlannedGroup group(plans_of(ranks, plan), own_values(ranks, kCount));
      REQUIRE(group.run());
      return group.sent(0);
    };
    const auto slices = equal_slices(kCount, ranks);
    CHECK(sent([&](int rank) { return ring_plan(PlanPart::all_reduce, slices, rank, 50); }) == least);
    CHECK(sent([&](int rank) { return direct_plan(PlanPart::all_reduce, slices, rank, 50); }) == least);
    CHECK(sent([&](int rank) { return one_round_plan(kCount, ranks, rank, 50); }) == kCount * (ranks - 1));
    if (!std::has_single_bit(static_cast<unsigned>(ranks))) continue;
    CHECK(sent([&](int rank) { return halving_plan(kCount, ranks, rank, 50); }) == least);
    CHECK(sent([&](int rank) { return doubling_plan(kCount, ranks, rank, 50); }) ==
          kCount * (std::bit_width(static_cast<unsigned>(ranks)) - 1));
  }
}

TEST_CASE("plans: messages are no longer than a segment") {
  const auto slices = equal_slices(101, 3);
  for (const SegmentPlan& plan :
       {ring_plan(PlanPart::all_reduce, slices, 1, kSegment), direct_plan(PlanPart::all_reduce, slices, 1, kSegment),
        one_round_plan(101, 3, 1, kSegment), doubling_plan(101, 3, 1, kSegment), halving_plan(101, 3, 1, kSegment)}) {
    for (const SegmentStep& step : plan) CHECK((0 < step.range.count() && step.range.count() <= kSegment));
  }
}

}  // namespace lockstep
