#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "train/lease_record.h"

namespace lockstep {

inline constexpr std::chrono::seconds kHeartbeat{5};

// What to do about a lease that somebody else holds, decided anew at each look. Pure; time is what the caller says.
// - The holder ran on this host, boot and pid namespace and its process is gone: take over at once.
// - It has our own job id (a restarted job and its old copy): wait until the lease is gone, or no heartbeat came for
//   three times kHeartbeat; after 10 minutes of heartbeats give up.
// - Any other: no heartbeat within 15 s, take over; a second heartbeat, give up. (The first may be the last of a
// process
//   whose mpirun was killed and which ends within 3 s.)
class LeaseRules {
 public:
  enum class Decision { wait, take_over, give_up };

  explicit LeaseRules(LeaseRecord mine) : mine_(std::move(mine)) {}

  // found: what the file says at `now`. process_gone: whether a process of that pid and start is surely not on this
  // host (asked only where the record is of this host, boot and namespace).
  Decision look(const LeaseRecord& found, bool process_gone, std::chrono::milliseconds now);
  // Whether found was written on this host, boot and pid namespace.
  bool same_place(const LeaseRecord& found) const;

 private:
  LeaseRecord mine_;
  std::optional<LeaseRecord> seen_;  // the holder as last seen
  std::chrono::milliseconds first_look_{};
  std::chrono::milliseconds last_beat_{};
  int beats_ = 0;  // of this holder since the first look
};

}  // namespace lockstep
