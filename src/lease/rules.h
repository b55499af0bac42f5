#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "lease/record.h"

namespace lockstep {

inline constexpr std::chrono::seconds kHeartbeat{5};
inline constexpr std::chrono::seconds kSilence = 3 * kHeartbeat;  // after which a holder counts as gone
inline constexpr std::chrono::minutes kLongestWait{10};           // for the old copy of one's own job

// What to do about a lease that another trainer holds, decided again at each look. Pure; time is what the caller says.
// - The holder ran on this host, boot and pid namespace and its process is gone: take over at once.
// - It has our own job id (a restarted job and its old copy): wait until the lease is gone, or no heartbeat came for
//   kSilence; after kLongestWait of heartbeats give up.
// - Any other: no heartbeat within kSilence, take over; a second heartbeat, give up. (The first may be the last of a
//   process whose mpirun was killed and which ends within 3 s.)
// A holder that is replaced by another one is a new holder, but kLongestWait counts from the first look.
//
// Between two looks at most kHeartbeat counts as silence: whoever was stopped together with the holder (a suspended
// job, a laptop's lid) leaves it the time to beat again. One thread.
class LeaseRules {
 public:
  enum class Decision { wait, take_over, give_up };

  explicit LeaseRules(LeaseRecord mine) : mine_(std::move(mine)) {}

  // found: what the file says at `now`. process_gone: whether a process of that pid and start is surely not on this
  // host (counts only where the record is of this host, boot and namespace).
  Decision look(const LeaseRecord& found, bool process_gone, std::chrono::milliseconds now);
  // Whether found was written on this host, boot and pid namespace.
  bool same_place(const LeaseRecord& found) const;
  // Whether found is of this very job of the scheduler.
  bool same_job(const LeaseRecord& found) const;

  // How long the holder of the last look has not beaten.
  std::chrono::milliseconds silence() const { return silence_; }

 private:
  void observe(const LeaseRecord& found, std::chrono::milliseconds now);

  LeaseRecord mine_;
  std::optional<LeaseRecord> seen_;  // the holder as last seen
  std::chrono::milliseconds first_look_{};
  std::chrono::milliseconds last_look_{};
  std::chrono::milliseconds silence_{};
  int beats_ = 0;  // of this holder since it was first seen
};

}  // namespace lockstep
