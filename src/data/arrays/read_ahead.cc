#include "data/arrays/read_ahead.h"

#include <utility>

#include "base/cpu_affinity.h"

namespace lockstep {

ReadAhead::ReadAhead(Load load, std::size_t most) : load_(std::move(load)), most_(most) {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void ReadAhead::expect(std::int64_t block) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(block);
    if (waiting_.size() > most_) waiting_.pop_front();
  }
  changed_.notify_all();
}

void ReadAhead::run(const std::stop_token& stop) {
  allow_all_cores();
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, stop, [this] { return !waiting_.empty(); });
    if (stop.stop_requested()) return;
    const std::int64_t block = waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    try {
      load_(block);
    } catch (...) {  // reported by the read that needs the block, to its caller
    }
    lock.lock();
  }
}

}  // namespace lockstep
