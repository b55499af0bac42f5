#include "cost.h"

#include <bit>
#include <cmath>

namespace lockstep::bench {
namespace {

// Open MPI's recursive doubling ends about here (coll_tuned_decision_fixed.c: intermediate_message).
constexpr double kMpiDoublingBytes = 10'000;

// A rank's messages to several others are under way at the same time, but it has work with each (the o of LogP, beside
// the latency L). Two hosts cannot tell the two apart, so this is an assumption: eight of them take a round's time.
constexpr int kMessagesOfRound = 8;

double rounds_to_others(int ranks) { return std::ceil(static_cast<double>(ranks - 1) / kMessagesOfRound); }

// The part of the values that is not a rank's own, of so many ranks.
double others_share(int ranks) { return static_cast<double>(ranks - 1) / ranks; }

// Recursive algorithms are for a power of two of the ranks, or of the hosts: the log2 of the largest one in it, and
// what the ranks beyond it add, as in doubling_plan().
struct Power {
  double log2;
  double beyond;  // 1 if there are any, else 0
};
Power power_in(int count) {
  const auto ranks = static_cast<unsigned>(count);
  return {.log2 = std::bit_width(ranks) - 1.0, .beyond = std::has_single_bit(ranks) ? 0.0 : 1.0};
}

}  // namespace

const std::vector<std::string>& wire_type_names() {
  static const std::vector<std::string> names{"float32", "bfloat16", "int8"};
  return names;
}

double bytes_of(WireType wire) {
  switch (wire) {
    case WireType::float32:
      return 4;
    case WireType::bfloat16:
      return 2;
    case WireType::int8:
      return 1;
  }
  return 0;
}

const std::vector<std::string>& sum_backend_names() {
  static const std::vector<std::string> names{"ring", "mpi", "hierarchical"};
  return names;
}

SumPlan algorithm_of(SumBackend backend, double bytes, WireType wire, HostGrid grid) {
  if (backend == SumBackend::mpi) return bytes <= kMpiDoublingBytes ? SumPlan::doubling : SumPlan::ring;
  const SumOrder order = backend == SumBackend::hierarchical ? SumOrder::ranks : SumOrder::any;
  return choose_plan(static_cast<std::int64_t>(bytes), wire != WireType::float32, grid.ranks(), order);
}

// The ranks of a host send through the same link. In a ring only the last of them sends to another host; in the
// others each sends what a host with one rank would.
Cost cost_of(SumPlan algorithm, double bytes, HostGrid grid) {
  const int ranks = grid.ranks();
  const Power among_ranks = power_in(ranks);
  const Power among_hosts = power_in(grid.hosts);
  const double of_host = bytes * grid.ranks_per_host;
  switch (algorithm) {
    case SumPlan::one_round:
      return {.rounds = rounds_to_others(ranks), .bytes = of_host * (ranks - grid.ranks_per_host)};
    case SumPlan::doubling:
      return {.rounds = among_ranks.log2 + 2 * among_ranks.beyond,
              .bytes = of_host * (among_hosts.log2 + among_hosts.beyond)};
    case SumPlan::halving: {
      const double halved = 2 * others_share(1 << static_cast<int>(among_hosts.log2));
      return {.rounds = 2 * among_ranks.log2 + 2 * among_ranks.beyond,
              .bytes = of_host * (halved + among_hosts.beyond)};
    }
    case SumPlan::ring:
      return {.rounds = 2.0 * (ranks - 1), .bytes = 2 * bytes * others_share(ranks)};
    case SumPlan::direct:
      return {.rounds = 2 * rounds_to_others(ranks), .bytes = 2 * of_host * others_share(grid.hosts)};
  }
  return {};
}

}  // namespace lockstep::bench
