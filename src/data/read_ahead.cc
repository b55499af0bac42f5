#include "data/read_ahead.h"

#include <utility>

#include "base/cpu_affinity.h"

namespace lockstep {

ReadAhead::ReadAhead(Load load, std::size_t most) : load_(std::move(load)), most_(most) {
  thread_ = std::thread([this] { run(); });
}

ReadAhead::~ReadAhead() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ReadAhead::expect(std::int64_t block) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(block);
    if (waiting_.size() > most_) waiting_.pop_front();
  }
  changed_.notify_all();
}

void ReadAhead::run() {
  allow_all_cores();
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
    if (stop_) return;
    const std::int64_t block = waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    try {
      load_(block);
    } catch (...) {  // told by the read that needs the block, on a thread that somebody listens to
    }
    lock.lock();
  }
}

}  // namespace lockstep
