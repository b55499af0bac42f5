#include "cost.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "collective/slices.h"
#include "collective/wire/segment_plan.h"

namespace lockstep::bench {
namespace {

constexpr std::int64_t kCount = 64 * 27;  // the slices of 2, 3, 4, 6, 8 and 9 ranks are equal
constexpr double kBytes = 4.0 * kCount;

// The most bytes that a rank sends by its plan.
double most_sent(int ranks, const std::function<SegmentPlan(int rank)>& plan_of) {
  std::int64_t most = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    std::int64_t sent = 0;
    for (const SegmentStep& step : plan_of(rank)) sent += step.range.count() * step.to.count;
    most = std::max(most, sent);
  }
  return 4.0 * static_cast<double>(most);
}

double bytes(SumPlan algorithm, int hosts) {
  return cost_of(algorithm, kBytes, {.hosts = hosts, .ranks_per_host = 1}).bytes;
}

TEST_CASE("the bytes of an algorithm are those of its plan") {
  constexpr std::int64_t kSegment = 100;
  for (const int hosts : {2, 3, 4, 6, 8, 9}) {
    CAPTURE(hosts);
    const auto slices = equal_slices(kCount, hosts);
    const auto sent = [&](auto plan_of) { return doctest::Approx(most_sent(hosts, plan_of)); };
    CHECK(bytes(SumPlan::ring, hosts) ==
          sent([&](int rank) { return ring_plan(PlanPart::all_reduce, slices, rank, kSegment); }));
    CHECK(bytes(SumPlan::direct, hosts) ==
          sent([&](int rank) { return direct_plan(PlanPart::all_reduce, slices, rank, kSegment); }));
    CHECK(bytes(SumPlan::one_round, hosts) ==
          sent([&](int rank) { return one_round_plan(kCount, hosts, rank, kSegment); }));
    CHECK(bytes(SumPlan::doubling, hosts) ==
          sent([&](int rank) { return doubling_plan(kCount, hosts, rank, kSegment); }));
    CHECK(bytes(SumPlan::halving, hosts) ==
          sent([&](int rank) { return halving_plan(kCount, hosts, rank, kSegment); }));
  }
}

TEST_CASE("rounds grow with the ranks in a ring, with their logarithm in recursive algorithms") {
  const auto rounds = [](SumPlan algorithm, int hosts) { return cost_of(algorithm, 1, {hosts, 1}).rounds; };
  CHECK(rounds(SumPlan::ring, 2) == 2);
  CHECK(rounds(SumPlan::ring, 4096) == 8190);
  CHECK(rounds(SumPlan::doubling, 4096) == 12);
  CHECK(rounds(SumPlan::doubling, 6) == 4);
  CHECK(rounds(SumPlan::halving, 4096) == 24);
  CHECK(rounds(SumPlan::direct, 8) == 2);
  CHECK(rounds(SumPlan::direct, 17) == 4);
  CHECK(rounds(SumPlan::one_round, 8) == 1);
}

TEST_CASE("the ranks of a host share its link, of which a ring uses one place") {
  const HostGrid grid{.hosts = 2, .ranks_per_host = 4};
  CHECK(cost_of(SumPlan::ring, 800, grid).bytes == doctest::Approx(2 * 800 * 7.0 / 8));
  CHECK(cost_of(SumPlan::direct, 800, grid).bytes == doctest::Approx(4 * 800));
  CHECK(cost_of(SumPlan::doubling, 800, grid).bytes == doctest::Approx(4 * 800));
}

TEST_CASE("sums take the plans of the communicators") {
  const auto of = [](SumBackend backend, double bytes, int hosts, WireType wire = WireType::float32) {
    return algorithm_of(backend, bytes, wire, {.hosts = hosts, .ranks_per_host = 1});
  };
  CHECK(of(SumBackend::ring, 8192, 4) == SumPlan::doubling);
  CHECK(of(SumBackend::ring, 1e6, 4) == SumPlan::ring);
  CHECK(of(SumBackend::ring, 1e6, 4, WireType::bfloat16) == SumPlan::direct);
  CHECK(of(SumBackend::hierarchical, 8192, 8) == SumPlan::one_round);
  CHECK(of(SumBackend::hierarchical, 1e6, 8) == SumPlan::direct);
  CHECK(of(SumBackend::hierarchical, 1e6, 9) == SumPlan::ring);
  CHECK(of(SumBackend::mpi, 4096, 4) == SumPlan::doubling);
  CHECK(of(SumBackend::mpi, 1e6, 4) == SumPlan::ring);
}

}  // namespace
}  // namespace lockstep::bench
