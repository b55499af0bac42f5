#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/log.h"
#include "train/lease_record.h"

namespace lockstep {

// Time as the lease sees it; tests wind it forward. Any thread may call.
class LeaseClock {
 public:
  virtual ~LeaseClock() = default;
  virtual std::chrono::milliseconds now() = 0;  // since any moment
  virtual void sleep(std::chrono::milliseconds time) = 0;
};
std::unique_ptr<LeaseClock> make_lease_clock();  // the steady clock

// The right to write an output_dir: lease.json in it, held by one chief at a time. The chief's alone.
//
// acquire() makes the file by link(2), which one of several succeeds in, or waits for the holder by the rules of
// train/lease_rules.h and replaces the file. Held, a thread beats every kHeartbeat: it writes a new count into the open
// file, in place, so it needs no room on a full disk and never touches the file of somebody who took over. Ownership is
// seen by reading the file anew: the token in it is this process's, or the lease is lost for good.
//
// release() on the good path; the destructor releases what is still held (local: it writes to no rank).
class Lease {
 public:
  struct Options {
    std::string folder;  // exists
    LeaseRecord mine;    // who asks
    Log* log = nullptr;  // says whom it waits for, and that it took over
  };
  // Throws Error(configuration) naming the holder if it is alive; Error(cannot_write) if the folder cannot be written.
  static std::unique_ptr<Lease> acquire(const Options& options, LeaseClock& clock);
  ~Lease();
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  // Whether a heartbeat has found another trainer's token. Any thread; looks at no file.
  bool lost() const { return lost_.load(); }
  // Looks at the file. Throws Error(configuration) naming who took over. Any thread.
  void check() const;
  void release();

 private:
  Lease(const Options& options, int descriptor);
  void beat_until_released();

  Options options_;
  int descriptor_ = -1;
  std::atomic<bool> lost_{false};
  std::mutex mutex_;
  std::condition_variable released_changed_;
  bool released_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace lockstep
