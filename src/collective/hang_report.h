#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/trace.h"

namespace lockstep {

// A rank's line of the status page, read at one moment.
struct RankStatus {
  int rank = -1;
  std::int64_t step = 0;
  Phase phase = Phase::start;
  double phase_s = 0;
  Operation operation = Operation::none;  // none: in no collective
  double operation_s = 0;                 // since the collective began, or since the last one ended
  std::int64_t bytes = 0;
  std::uint32_t sequence = 0;
  double silent_s = 0;  // since the last sign of life of its watchdog; 0 = it has none

  // A process that is stopped, dead or starved of its host does not tick either. Watchdogs tick ten times a second.
  bool stopped() const { return silent_s > 2; }
  bool waiting() const { return operation != Operation::none; }
};

// The lines in use, at monotonic time now_ns.
std::vector<RankStatus> read_status(std::span<const StatusLine> lines, std::int64_t now_ns);

// Whether `other` has come to the collective that `waiter` is in: it has entered as many. Ranks count all collectives
// of all their groups, so this tells the truth while all ranks of a host are in the same groups.
bool arrived(const RankStatus& other, const RankStatus& waiter);

// All that a hang verdict tells.
struct HangFacts {
  std::string host;
  int world_size = 1;
  double hang_timeout_s = 60;
  RankStatus waiter;              // the rank whose watchdog lost patience
  std::vector<RankStatus> ranks;  // of this host, the waiter included
  std::string last_operations;    // of the waiter, lines
};

// The verdict as text of several lines, ready to print: what hangs, since when, who of this host's ranks did not
// arrive and what they do instead, what to look at.
std::string hang_report(const HangFacts& facts);

// What a host says on which no rank waits but one, facts.waiter, stands still.
std::string late_report(const HangFacts& facts);

}  // namespace lockstep
