#pragma once

#include <array>
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
  std::uint32_t group = kNoGroup;  // the operation's
  std::uint32_t group_sequence = 0;
  struct Group {
    std::uint32_t number = kNoGroup;
    std::uint32_t entered = 0;
  };
  std::array<Group, StatusLine::kGroups> groups{};  // those it is in
  double silent_s = 0;                              // since the last sign of life of its watchdog; 0 = it has none

  // A process that is stopped, dead or starved of its host does not tick. Watchdogs tick ten times per second.
  bool stopped() const { return silent_s > 2; }
  bool waiting() const { return operation != Operation::none; }
};

// The lines in use, at monotonic time now_ns.
std::vector<RankStatus> read_status(std::span<const StatusLine> lines, std::int64_t now_ns);

// Returns whether `other` is in the group of the collective that `waiter` is in.
bool in_group(const RankStatus& other, const RankStatus& waiter);
// arrived(): `other` is in that group and has come to the collective: it has entered at least as many of the group.
// missing(): it is in the group, but has not come.
bool arrived(const RankStatus& other, const RankStatus& waiter);
bool missing(const RankStatus& other, const RankStatus& waiter);
// True if both wait in the same group, but in different collectives, which neither can complete: the calls that the
// program makes differ between ranks.
bool elsewhere(const RankStatus& other, const RankStatus& waiter);

// Everything a hang verdict reports.
struct HangFacts {
  std::string host;
  int world_size = 1;
  double hang_timeout_s = 60;
  RankStatus waiter;              // the rank whose watchdog lost patience
  std::vector<RankStatus> ranks;  // this host's, including the waiter
  std::string last_operations;    // the waiter's, one a line
};

// The verdict as text of several lines, ready to print: what hangs, since when, which of this host's ranks did not
// arrive and what they do instead, what to look at.
std::string hang_report(const HangFacts& facts);

// Report for a host where no rank is waiting but one, facts.waiter, makes no progress.
std::string late_report(const HangFacts& facts);

}  // namespace lockstep
