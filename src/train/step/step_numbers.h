#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

namespace lockstep {

// Steps on their way from the thread that makes them to the one that reads their batches, where they do not follow each
// other. Any thread.
class StepNumbers {
 public:
  void add(std::int64_t step) {
    {
      const std::scoped_lock lock(mutex_);
      steps_.push_back(step);
    }
    changed_.notify_all();
  }

  // Waits for a step; nothing after close().
  std::optional<std::int64_t> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || !steps_.empty(); });
    if (closed_) return {};
    const std::int64_t step = steps_.front();
    steps_.pop_front();
    return step;
  }

  void close() {
    {
      const std::scoped_lock lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::int64_t> steps_;  // guarded by mutex_, as is closed_
  bool closed_ = false;
};

}  // namespace lockstep
