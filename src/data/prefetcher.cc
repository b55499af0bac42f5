#include "data/prefetcher.h"

#include <utility>

#include "base/cpu_affinity.h"
#include "base/error.h"

namespace lockstep {

Prefetcher::Prefetcher(const Problem& problem, Plan plan, Allocator& allocator, const Options& options)
    : problem_(problem), plan_(std::move(plan)), augmentation_(options.augmentation) {
  LS_CHECK(options.depth >= 1, "a prefetcher needs room for a batch");
  ring_.reserve(static_cast<std::size_t>(options.depth));
  for (int i = 0; i < options.depth; ++i) ring_.emplace_back(problem.shape(), options.capacity, allocator);
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

const Batch& Prefetcher::next() {
  std::unique_lock lock(mutex_);
  LS_CHECK(given_ - consumed_ < std::ssize(ring_), "more batches are held than there is room for");
  changed_.wait(lock, [this] { return produced_ > given_ || failure_ != nullptr; });
  if (produced_ == given_) std::rethrow_exception(failure_);
  return slot(given_++).batch();
}

void Prefetcher::release() {
  {
    const std::lock_guard lock(mutex_);
    LS_CHECK(given_ > consumed_, "no batch is held");
    ++consumed_;
  }
  changed_.notify_all();
}

bool Prefetcher::is_ready() {
  const std::lock_guard lock(mutex_);
  return produced_ > given_;
}

void Prefetcher::run(const std::stop_token& stop) {
  allow_all_cores();
  try {
    PlannedBatch planned;
    for (std::int64_t n = 0; wait_for_room(stop); ++n) {
      read(n, planned);
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

void Prefetcher::read(std::int64_t n, PlannedBatch& planned) {
  LS_CHECK(plan_(n, planned), "no more batches");
  // The ring's other slots belong to the main thread; this one is ours until produced_ counts it.
  slot(n).fill(problem_, Split::train, planned.sample_ids);
  if (augmentation_ != nullptr) augmentation_->apply(slot(n).batch(), planned.step);
  for (const std::int64_t block : planned.blocks_ahead) problem_.expect_block(block);
}

bool Prefetcher::wait_for_room(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, stop, [this] { return produced_ - consumed_ < std::ssize(ring_); });
  return !stop.stop_requested();
}

}  // namespace lockstep
