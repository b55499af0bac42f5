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

// Keeps the blocks of something large that were used last, `capacity` of them at most, and loads those that are asked
// for and not there. Memory is taken as blocks come and then used again: a cache that was full once allocates nothing.
// Any threads may call at once; two that want the same block load it once. Loading happens outside the lock.
class BlockCache {
 public:
  // Fills `bytes` with a block; called on the thread that asked. What it throws comes out of get().
  using Load = std::function<void(std::int64_t block, std::vector<std::byte>& bytes)>;

  // REQUIRES: capacity >= 1. A thread that finds all of it pinned by others waits for them.
  BlockCache(std::int64_t blocks, std::int64_t capacity, Load load);

 private:
  struct Slot {
    std::int64_t block = -1;
    std::int64_t last_use = 0;  // 0: never, or what was loaded failed
    int pins = 0;
    bool loading = false;
    std::vector<std::byte> bytes;
  };

 public:
  // A block that stays where it is until the Pin is gone.
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

  std::int64_t loads() const;  // so far, those that failed included

 private:
  Slot* least_recently_used();  // that is not in use; nullptr: there is none
  void load_into(Slot& slot, std::int64_t block);
  void release(Slot& slot);

  Load load_;
  mutable std::mutex mutex_;  // guards all below, but the bytes of a slot that is pinned or loading
  std::condition_variable changed_;
  std::vector<Slot> slots_;
  std::vector<std::int32_t> slot_of_;  // by block; -1: not here
  std::int64_t clock_ = 0;             // counts uses
  std::int64_t loads_ = 0;
};

}  // namespace lockstep
