#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "lease/record.h"

namespace lockstep {

inline constexpr std::chrono::seconds kHeartbeat{5};
inline constexpr std::chrono::seconds kSilence = 3 * kHeartbeat;  // a holder silent for this long counts as gone
inline constexpr std::chrono::minutes kLongestWait{10};           // longest wait for an old copy of one's own job

// Decides about a lease that another trainer holds, again at each look. Pure; the caller gives the time.
// - The holder ran on this host, boot and pid namespace and its process is gone: take over at once.
// - It has our own job id (a restarted job and its old copy): wait until the lease is gone; no heartbeat within
//   kSilence, take over; heartbeats for kLongestWait, give up.
// - Any other: no heartbeat within kSilence, take over; a second heartbeat, give up. (The first may be the last of a
//   process whose mpirun was killed and which ends within 3 s.)
// A holder that is replaced by another one is a new holder, but kLongestWait counts from the first look.
//
// Between two looks at most kHeartbeat counts as silence: a process that was stopped together with the holder (a
// suspended job, a laptop's lid) leaves it the time to beat again. One thread.
class LeaseRules {
 public:
  enum class Decision { wait, take_over, give_up };

  explicit LeaseRules(LeaseRecord mine) : mine_(std::move(mine)) {}

  // found: the file's record at `now`. process_gone: a process of that pid and start is certainly not on this host
  // (counts only if the record is of this host, boot and namespace).
  Decision look(const LeaseRecord& found, bool process_gone, std::chrono::milliseconds now);
  // Returns whether found was written on this host, boot and pid namespace.
  bool same_place(const LeaseRecord& found) const;
  // Returns whether found belongs to our own job of the scheduler.
  bool same_job(const LeaseRecord& found) const;

  // Time without a heartbeat of the holder that the last look found.
  std::chrono::milliseconds silence() const { return silence_; }

 private:
  void observe(const LeaseRecord& found, std::chrono::milliseconds now);

  LeaseRecord mine_;
  std::optional<LeaseRecord> seen_;  // the holder as last seen
  std::chrono::milliseconds first_look_{};
  std::chrono::milliseconds last_look_{};
  std::chrono::milliseconds silence_{};
  int beats_ = 0;  // heartbeats of this holder since it was first seen
};

}  // namespace lockstep
