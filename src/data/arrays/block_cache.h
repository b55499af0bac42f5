#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace lockstep {

// LRU cache of at most `capacity` blocks of something large, loaded on demand. Memory is allocated as blocks come and
// then reused: a cache that was once full allocates nothing. Any threads may call at once; two that want the same block
// load it once. Loading happens outside the lock.
class BlockCache {
 public:
  // Fills `bytes` with a block; called on the thread that asked. What it throws comes out of get().
  using Load = std::function<void(std::int64_t block, std::vector<std::byte>& bytes)>;

  // REQUIRES: capacity >= 1. A thread that finds all slots pinned by others waits for them.
  BlockCache(std::int64_t blocks, std::int64_t capacity, Load load);

 private:
  struct Slot {
    std::int64_t block = -1;
    std::int64_t last_use = 0;  // 0: never, or its load failed
    int pins = 0;
    bool loading = false;
    std::vector<std::byte> bytes;
  };

 public:
  // A block that stays in memory until the Pin is gone.
  class Pin {
   public:
    Pin(BlockCache& cache, Slot& slot) : cache_(&cache), slot_(&slot) {}
    Pin(Pin&& other) noexcept : cache_(std::exchange(other.cache_, nullptr)), slot_(other.slot_) {}
    Pin& operator=(Pin&&) = delete;
    ~Pin() {
      if (cache_ != nullptr) cache_->release(*slot_);
    }
    std::span<const std::byte> bytes() const { return slot_->bytes; }

   private:
    BlockCache* cache_;
    Slot* slot_;
  };

  // REQUIRES: 0 <= block < blocks; the calling thread pins no other.
  Pin get(std::int64_t block);

  std::int64_t loads() const;  // so far, including those that failed

 private:
  Slot* least_recently_used();  // one of the slots not in use; nullptr: none
  void load_into(Slot& slot, std::int64_t block);
  void release(Slot& slot);

  Load load_;
  mutable std::mutex mutex_;  // guards all below, except the bytes of a slot that is pinned or loading
  std::condition_variable changed_;
  std::vector<Slot> slots_;
  std::vector<std::int32_t> slot_of_;  // slot of each block; -1: not cached
  std::int64_t clock_ = 0;             // counts uses
  std::int64_t loads_ = 0;
};

}  // namespace lockstep
