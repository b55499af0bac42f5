#include "data/arrays/block_cache.h"

#include <algorithm>

#include "base/error.h"

namespace lockstep {

BlockCache::BlockCache(std::int64_t blocks, std::int64_t capacity, Load load)
    : load_(std::move(load)),
      slots_(static_cast<std::size_t>(std::min(blocks, capacity))),
      slot_of_(static_cast<std::size_t>(blocks), -1) {
  LS_CHECK(capacity >= 1, "a cache without room");
}

BlockCache::Pin BlockCache::get(std::int64_t block) {
  std::unique_lock lock(mutex_);
  std::int32_t& index = slot_of_.at(static_cast<std::size_t>(block));
  while (true) {
    if (index >= 0) {
      Slot& slot = slots_[static_cast<std::size_t>(index)];
      if (!slot.loading) {
        ++slot.pins;
        slot.last_use = ++clock_;
        return {*this, slot};
      }
    } else if (Slot* const slot = least_recently_used()) {
      if (slot->block >= 0) slot_of_[static_cast<std::size_t>(slot->block)] = -1;
      *slot = {.block = block, .last_use = ++clock_, .pins = 1, .loading = true, .bytes = std::move(slot->bytes)};
      index = static_cast<std::int32_t>(slot - slots_.data());
      ++loads_;
      lock.unlock();
      load_into(*slot, block);
      return {*this, *slot};
    }
    changed_.wait(lock);
  }
}

void BlockCache::load_into(Slot& slot, std::int64_t block) {
  try {
    load_(block, slot.bytes);
  } catch (...) {
    {
      const std::lock_guard lock(mutex_);
      slot_of_[static_cast<std::size_t>(block)] = -1;
      slot = {.bytes = std::move(slot.bytes)};
    }
    changed_.notify_all();
    throw;
  }
  {
    const std::lock_guard lock(mutex_);
    slot.loading = false;
  }
  changed_.notify_all();
}

void BlockCache::release(Slot& slot) {
  bool free = false;
  {
    const std::lock_guard lock(mutex_);
    free = --slot.pins == 0;
  }
  if (free) changed_.notify_all();
}

BlockCache::Slot* BlockCache::least_recently_used() {
  Slot* found = nullptr;
  for (Slot& slot : slots_) {
    if (slot.pins > 0 || slot.loading) continue;
    if (found == nullptr || slot.last_use < found->last_use) found = &slot;
  }
  return found;
}

std::int64_t BlockCache::loads() const {
  const std::lock_guard lock(mutex_);
  return loads_;
}

}  // namespace lockstep
