#include "data/prefetcher.h"

#include <utility>

#include "base/clock.h"
#include "base/cpu_affinity.h"
#include "base/error.h"

namespace lockstep {

Prefetcher::Prefetcher(const Problem& problem, Plan plan, Allocator& allocator, const Options& options)
    : problem_(problem), plan_(std::move(plan)), augmentation_(options.augmentation) {
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
  const auto ready = [this] { return produced_ > consumed_ || failure_ != nullptr; };
  if (!ready()) {
    const Stopwatch watch;
    changed_.wait(lock, ready);
    seconds_waited_ += watch.seconds();
  }
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
    PlannedBatch planned;
    for (std::int64_t n = 0; wait_for_room(); ++n) {
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
  // The ring's other slots are the main thread's; this one is ours until produced_ counts it.
  slot(n).fill(problem_, Split::train, planned.sample_ids);
  if (augmentation_ != nullptr) augmentation_->apply(slot(n).batch(), planned.step);
  for (const std::int64_t block : planned.blocks_ahead) problem_.expect_block(block);
}

bool Prefetcher::wait_for_room() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stop_ || produced_ - consumed_ < std::ssize(ring_); });
  return !stop_;
}

}  // namespace lockstep
