#include "data/prefetcher.h"

#include <utility>

#include "base/cpu_affinity.h"
#include "base/error.h"

namespace lockstep {

Prefetcher::Prefetcher(const Problem& problem, NextIds next_ids, Allocator& allocator, const Options& options)
    : problem_(problem), next_ids_(std::move(next_ids)) {
  LS_CHECK(options.depth >= 1, "a prefetcher needs room for a batch");
  ring_.reserve(static_cast<std::size_t>(options.depth));
  for (int i = 0; i < options.depth; ++i) ring_.emplace_back(problem.shape(), options.capacity, allocator);
  thread_ = std::thread([this] { run(); });
}

Prefetcher::~Prefetcher() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

const Batch& Prefetcher::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return produced_ > consumed_ || failure_ != nullptr; });
  if (produced_ == consumed_) std::rethrow_exception(failure_);
  return slot(consumed_).batch();
}

void Prefetcher::release() {
  {
    const std::lock_guard lock(mutex_);
    LS_CHECK(produced_ > consumed_, "no batch is held");
    ++consumed_;
  }
  changed_.notify_all();
}

void Prefetcher::run() {
  allow_all_cores();
  try {
    std::vector<std::int64_t> sample_ids;
    for (std::int64_t n = 0; wait_for_room(); ++n) {
      LS_CHECK(next_ids_(n, sample_ids), "no more batches");
      // The ring's other slots are the main thread's; this one is ours until produced_ counts it.
      slot(n).fill(problem_, Split::train, sample_ids);
      {
        const std::lock_guard lock(mutex_);
        ++produced_;
      }
      changed_.notify_all();
    }
  } catch (...) {
    {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
    }
    changed_.notify_all();
  }
}

bool Prefetcher::wait_for_room() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stop_ || produced_ - consumed_ < std::ssize(ring_); });
  return !stop_;
}

}  // namespace lockstep
