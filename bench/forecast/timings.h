#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cost.h"

namespace lockstep::bench {

// The median time of one size, as bench/collective --json printed it.
struct SumTiming {
  std::optional<SumBackend> backend;  // none: a sum in the memory of one host
  HostGrid grid{};
  std::int64_t bytes = 0;
  double us = 0;
};

// Reads lines of bench/collective --json. All-reduces of float32 by ring, mpi and hierarchical between hosts, and by
// shm and hierarchical on one, are returned, others left out. source: the file's name, for messages. Pure. Throws
// Error(bad_data) of every rank, with the line, for a text of another form or hosts with unequal numbers of ranks.
std::vector<SumTiming> parse_timings(std::string_view text, const std::string& source);

// The fewest hosts, from two on, on which the backend was measured; the model is fitted there. 0: on none.
int fewest_hosts(std::span<const SumTiming> timings, SumBackend backend);
// Returns whether the backend was measured on as many hosts or more, with as many ranks each. What was not is
// extrapolated.
bool covers(std::span<const SumTiming> timings, SumBackend backend, HostGrid grid);

}  // namespace lockstep::bench
