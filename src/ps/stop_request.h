#pragma once

#include <functional>
#include <optional>

namespace lockstep {

// A request to end the run that has reached one rank of a job with parameter servers.
struct PsStopRequest {
  int rank = 0;    // in the group of the Messages
  int signal = 0;  // 0: it was no signal
  bool operator==(const PsStopRequest&) const = default;
};

// Returns the signal of a request that has reached this rank, 0 if it was no signal; nothing: none has.
using PsStopSignal = std::function<std::optional<int>()>;

}  // namespace lockstep
