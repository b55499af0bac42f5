#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/log.h"
#include "lease/clock.h"
#include "lease/file.h"
#include "lease/process.h"
#include "lease/record.h"

namespace lockstep {

// The right to write an output_dir: lease.json in it, held by one chief at a time. Used by the chief only.
//
// acquire() creates the file, in which one of several processes succeeds, or waits for the holder by the rules of
// lease/rules.h and replaces the file. While it is held, a thread beats every kHeartbeat: it writes a new count into
// its own open file. Ownership is checked by reading the file by its path: it holds this process's token, or the lease
// is lost for good and never written again. A file that cannot be read for a while (a network file system's hiccup)
// loses nothing.
//
// release() on the good path; the destructor releases what is still held (local: it communicates with no rank).
class Lease {
 public:
  struct Options {
    std::string folder;                    // must exist
    LeaseRecord mine;                      // the asking process: this_process()
    Log* log = nullptr;                    // told of a wait, a take-over, failing heartbeats; null: none
    std::function<std::int64_t()> step{};  // current step of the run; called by the heartbeat
  };
  // The clock must outlive the lease. Throws Error(configuration) naming the holder if it is alive; Error(cannot_write)
  // if the file cannot be read or written.
  static std::unique_ptr<Lease> acquire(const Options& options, LeaseClock& clock);
  ~Lease();
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  // The step of the trainer it was taken over from, at that one's last heartbeat; 0: from none, or unknown.
  std::int64_t former_step() const { return former_step_; }
  // True if a heartbeat or check() has found the file gone or with another trainer's token. Any thread; reads no file.
  bool lost() const { return lost_.load(); }
  // Reads the file. Throws Error(configuration) naming the new holder, if any, if the lease is lost. Any thread.
  void check() const;
  // Ends the heartbeat and removes the file if it is still ours. May be called again.
  void release();

 private:
  Lease(const Options& options, LeaseClock& clock)
      : options_(options), clock_(clock), file_(options.folder, options.mine) {}
  void wait_for_it();
  void start();
  void beat_until(const std::stop_token& released);

  Options options_;
  LeaseClock& clock_;
  LeaseFile file_;
  std::int64_t former_step_ = 0;
  mutable std::atomic<bool> lost_{false};
  std::jthread heartbeat_;
};

}  // namespace lockstep
