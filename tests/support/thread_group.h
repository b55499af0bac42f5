#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/trace.h"
#include "collective/collective_call.h"

namespace lockstep {

// Meeting point of ranks that are threads: the core of the thread communicator.
//
// An operation is two meetings: at the first every rank offers a pointer to its data, then each reads and writes its
// part, and at the second all are done with the data.
// Threads: each rank's own, at once. Errors: Error(internal) from every offer() after poison(), a time-out or calls
// that differ, and from a done() that times out.
class ThreadGroup {
 public:
  // State shared by all groups of one world: the lock, and the reason why no rank may wait any longer.
  struct World {
    explicit World(std::chrono::milliseconds wait_at_most) : timeout(wait_at_most) {}

    std::chrono::milliseconds timeout;
    std::mutex mutex;
    std::condition_variable changed;
    std::string poison;  // "": not poisoned; guarded by mutex
  };

  // A rank's contribution to a meeting. All must offer the same call.
  struct Offer {
    CollectiveCall call;
    const void* what = nullptr;
  };

  ThreadGroup(std::shared_ptr<World> world, int size);

  // Waits until every rank has made its offer. Until done() every rank may read all offers and the data they point to.
  void offer(int rank, const Offer& mine);
  template <class T>
  T* offered(int rank) const {
    return static_cast<T*>(const_cast<void*>(offers_[static_cast<std::size_t>(rank)].what));
  }

  // Waits until every rank is done. Poison does not end this wait: the others may be reading this rank's memory, and
  // they all come, since there is nothing to wait for between offer() and done().
  void done(int rank, Operation operation);

  // Makes every offer() of the world, now and later, throw with this message; the first call decides.
  void poison(const std::string& message) noexcept;
  // Poisons, then throws.
  [[noreturn]] void fail_all(const std::string& message);

  const std::shared_ptr<World>& world() const { return world_; }

  // Groups made by split: entry r is written by rank r if it is a new group's first, between two meetings.
  std::vector<std::shared_ptr<ThreadGroup>> born;

 private:
  // Waits for every rank of the group, or until give_up() (called under the lock) returns true.
  void meet(int rank, Operation operation, const std::function<bool()>& give_up);
  std::string missing() const;

  std::shared_ptr<World> world_;
  std::vector<Offer> offers_;  // each written by its rank before a meeting, read by all after it
  std::vector<bool> here_;     // guarded by the world's mutex, as is meetings_
  std::uint64_t meetings_ = 0;
};

}  // namespace lockstep
