#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace lockstep {

// Calls on_late, from a thread of its own, if this object lives longer than `seconds`; and until then each_second, if
// any, every second. Like the watchdog it counts its own ticks, so that a process that was suspended is not late.
// on_late has to end the process, since it cannot wake the thread that is late; each_second may end it.
class Deadline {
 public:
  Deadline(double seconds, std::function<void()> on_late, std::function<void()> each_second = {});
  ~Deadline() = default;
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable_any met_;
  std::jthread thread_;  // last: it uses the others until it has ended
};

}  // namespace lockstep
