#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "launch/flags/command_line.h"

namespace lockstep::bench {

// The way of values and gradients between servers and clients.
enum class PsTransport { messages, window, accumulate };

const std::string& name(PsTransport transport);

// A bound on staleness; none: there is no bound.
using StalenessBound = std::optional<std::int64_t>;

// Options of bench/ps. A plain value.
struct PsOptions {
  int servers;
  std::vector<PsTransport> transports;
  std::vector<std::int64_t> sizes;  // of the whole store, in bytes
  bool transfers;                   // which measurements
  bool updates;
  bool delays;
  bool saves;
  std::optional<std::int64_t> batches;  // updates of a job
  std::int64_t rounds;
  double compute_s;  // 0: no computation
  double slow;       // the last client's computation takes so many times as long
  std::vector<StalenessBound> bounds;
  bool json;
};

std::span<const Flag> ps_flags();
// Reads the command line of a job of this many ranks. Throws Error(usage) of every rank.
PsOptions parse_ps_options(std::span<const std::string> args, int ranks);

}  // namespace lockstep::bench
