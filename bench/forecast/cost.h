#pragma once

#include <string>
#include <vector>

#include "collective/wire/plan_choice.h"

// The cost of sums between hosts, in closed form: how often a rank waits for messages, and the bytes on a host's link.
namespace lockstep::bench {

// Hosts with equally many ranks.
struct HostGrid {
  int hosts = 1;
  int ranks_per_host = 1;

  int ranks() const { return hosts * ranks_per_host; }
  bool operator==(const HostGrid&) const = default;
};

// The type in which gradients travel, and the size of a value of it.
enum class WireType { float32, bfloat16, int8 };
const std::vector<std::string>& wire_type_names();  // in the order of WireType
double bytes_of(WireType wire);

// The backends of bench/collective that a forecast can be made for.
enum class SumBackend { ring, mpi, hierarchical };
const std::vector<std::string>& sum_backend_names();  // in the order of SumBackend

// The cost of one sum for a host. rounds: times that a message's latency passes, one after the other. bytes: those that
// leave the host.
struct Cost {
  double rounds = 0;
  double bytes = 0;
};

// The algorithm by which a backend sums so many bytes between the ranks that exchange messages: of hierarchical, one of
// each host (collective/wire/plan_choice.h). mpi: what docs/collectives.md says of MPI's own sums.
SumPlan algorithm_of(SumBackend backend, double bytes, WireType wire, HostGrid grid);

// The cost of a sum of so many bytes, which every rank of the grid has. REQUIRES: two ranks at least.
Cost cost_of(SumPlan algorithm, double bytes, HostGrid grid);

}  // namespace lockstep::bench
