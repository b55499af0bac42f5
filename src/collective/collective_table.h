#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace lockstep {

// The choices of --collective=auto: the backend for sums of a size on a number of hosts with a number of ranks each.
// Fixed, not measured at start, so that two runs of one command on like machines choose alike. A plain value; pure.
struct CollectiveTable {
  struct Range {
    std::int64_t from_bytes = 0;  // the range ends where the next one begins
    std::string backend;          // "mpi" or alternative_to_mpi()
    bool operator==(const Range&) const = default;
  };
  struct Row {
    int hosts = 1;
    int ranks_per_host = 1;
    std::vector<Range> ranges;  // the first from 0, in rising order
    bool operator==(const Row&) const = default;
  };
  std::vector<Row> rows;

  // The backend for sums of `bytes`: from the row with as many hosts and ranks, else from the nearest row with fewer
  // hosts, then fewer ranks; rows of one host are not used for several, and rows of one rank a host not for more. "mpi"
  // if there is no such row. ranks_per_host: the most ranks that a host has.
  std::string backend(std::int64_t bytes, int ranks_per_host, int hosts) const;

  bool operator==(const CollectiveTable&) const = default;
};

// The backend that a table may choose besides mpi: "shm" on one host, "ring" on several with a rank each, else
// "hierarchical".
std::string_view alternative_to_mpi(int hosts, int ranks_per_host);

// The table built into the program.
CollectiveTable default_collective_table();

// The file of --collective_table, a row a line:
//   {"collective_table": [
//     {"hosts": 1, "ranks_per_host": 2, "ranges": [{"from_bytes": 0, "backend": "shm"}]}
//   ]}
// Other keys than "collective_table" (when it was made, say) are ignored.
std::string to_json(const CollectiveTable& table);
// Throws JsonError, with the place in the text, if the form is wrong or a backend is chosen where it cannot work.
CollectiveTable parse_collective_table(std::string_view json);

// One timing of bench/collective. Each round of a benchmark gives one; rounds are best interleaved over backends.
struct CollectiveTiming {
  std::string operation;  // "all_reduce": others are ignored
  std::int64_t bytes = 0;
  int ranks_per_host = 1;
  int hosts = 1;
  std::string backend;  // one of a table's: others are ignored
  double time_us = 0;
};

// The table of the fastest backends. For each number of hosts and ranks this is mpi, unless alternative_to_mpi() is
// better beyond noise: with a median below 95 % of mpi's and a best time not above mpi's. The first range begins at 0,
// the others at the first size measured at which their backend is chosen. Sizes without a time of mpi are ignored.
CollectiveTable fastest_collectives(std::span<const CollectiveTiming> timings);

}  // namespace lockstep
