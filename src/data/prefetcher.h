#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <mutex>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "data/augmentation.h"
#include "data/batch_buffer.h"
#include "data/batch_source.h"
#include "data/problem.h"

namespace lockstep {

// Contents of a batch that is to be read.
struct PlannedBatch {
  std::int64_t step = 0;  // the step that will use it
  std::vector<std::int64_t> sample_ids;
  std::vector<std::int64_t> blocks_ahead;  // blocks to announce to the problem (ShardPlan::ahead)
};

// Keeps the next batches of the training split ready. Its thread reads ahead of the step, may run on every core the
// host allows, and never communicates. It calls the problem, `plan` and the augmentation only; all must outlive it.
// Only the main thread calls next() and release(); as many batches may be held as there is room for.
class Prefetcher final : public BatchSource {
 public:
  // Plans the n-th batch (n = 0, 1, ...), overwriting `batch`; false when there are no more.
  using Plan = std::function<bool(std::int64_t n, PlannedBatch& batch)>;
  struct Options {
    std::int64_t capacity = 0;             // rows of the largest batch
    int depth = 4;                         // batches ready or being read; enough to hide a slow read
    Augmentation* augmentation = nullptr;  // changes each batch after it was read; used by the thread only
  };

  Prefetcher(const Problem& problem, Plan plan, Allocator& allocator, const Options& options);
  ~Prefetcher() override = default;  // stops and joins the thread

  // Rethrows what the reading thread threw for that batch.
  const Batch& next() override;
  void release() override;
  bool is_ready() override;

 private:
  void run(const std::stop_token& stop);  // the reading thread
  void read(std::int64_t n, PlannedBatch& planned);
  bool wait_for_room(const std::stop_token& stop);  // false: stopped
  BatchBuffer& slot(std::int64_t n) { return ring_[static_cast<std::size_t>(n % std::ssize(ring_))]; }

  const Problem& problem_;
  Plan plan_;
  Augmentation* augmentation_;
  std::vector<BatchBuffer> ring_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::int64_t produced_ = 0;   // batches read so far     (guarded by mutex_)
  std::int64_t consumed_ = 0;   // batches released so far (guarded by mutex_)
  std::int64_t given_ = 0;      // batches that next() gave; main thread only
  std::exception_ptr failure_;  // error of reading batch produced_, which ends the thread (guarded by mutex_)
  std::jthread thread_;         // last: it uses the others until it has ended
};

}  // namespace lockstep
