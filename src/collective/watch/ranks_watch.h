#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "base/exit_code.h"
#include "collective/shm/peer_process.h"
#include "collective/watch/node_page.h"

namespace lockstep {

// Watches the processes of all ranks of a job on one host that can go on without some of them. Neither the launcher nor
// MPI_Abort ends the other ranks of such a job, so this class does.
//
// A thread looks four times a second. Until go_apart() ranks wait for each other in collectives, and the job needs all
// of them; after it, only those that it cannot spare. When the job is over, a rank that is still running some seconds
// after another has ended would wait for it in vain, so it exits. has_ended(), end_others(): any thread.
class RanksWatch {
 public:
  struct Options {
    PeerProcesses processes;  // by rank, this one's included
    int rank = 0;
    std::function<bool(int rank)> can_spare;
    std::function<void(int rank)> when_needed_ended;  // has to end this process
    std::function<void(ExitCode)> when_left_behind;   // has to end this process
  };

  // The page is the one that all the ranks share, and outlives it.
  RanksWatch(NodePage& page, Options options);
  ~RanksWatch() = default;
  RanksWatch(const RanksWatch&) = delete;
  RanksWatch& operator=(const RanksWatch&) = delete;

  bool has_ended(int rank) const;
  bool has_any_ended() const;
  // The process of a rank in messages: "process 4711 on n1".
  std::string text(int rank) const { return options_.processes[static_cast<std::size_t>(rank)]->text(); }

  // From here on this rank waits for no other in a collective.
  void go_apart() { apart_ = true; }
  // By rank 0, for all ranks: everything is safe, and the job ends with this code. A rank that ends from now on is not
  // a loss.
  void end_job(ExitCode code) { page_.end_job(code); }

  // Kills the other ranks.
  void end_others() const;

 private:
  void run(const std::stop_token& stop);
  void look();

  NodePage& page_;
  Options options_;
  std::atomic<bool> apart_ = false;
  int looks_left_behind_ = 0;
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::jthread thread_;  // last: it uses the others until it has ended
};

}  // namespace lockstep
