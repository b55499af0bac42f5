#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "collective/communicator.h"
#include "collective/nccl/nccl_calls.h"

namespace lockstep {

// This rank's end of an NCCL communicator: takes its calls one at a time, and can be aborted at any moment by any
// thread, also while a call is under way. Shared by those who make calls and by the memory that it knows.
class NcclRank {
 public:
  // The way to register memory: NCCL has kernels of their own for windows, which are not rings.
  enum class Memory { windows, plain };

  // Joins the ranks of the group. If it fails on one of them, throws Error(configuration) of every rank on all of them,
  // with the bare reason. drive, if not empty, is called while a call waits for other ranks (MpiSession::driver()).
  // COLLECTIVE.
  static std::shared_ptr<NcclRank> join(Communicator& group, int gpu, Memory memory, std::function<void()> drive);

  // Takes ownership of comm.
  NcclRank(NcclComm comm, int gpu, Memory memory, std::function<void()> drive);
  // Waits for the end of an abort().
  ~NcclRank() { abort("the communicator is gone"); }
  NcclRank(const NcclRank&) = delete;
  NcclRank& operator=(const NcclRank&) = delete;

  int gpu() const { return gpu_; }

  // Makes calls, and returns when they are prepared: their work is in the streams. Throws what NCCL says, or, after
  // abort(), why that was.
  void call(const std::function<void(NcclComm)>& calls);

  // Returns whether all operations under way are well; if not, aborts, and the calls from here on throw why. Any
  // thread.
  bool check() noexcept;
  // Ends the operations under way on this GPU, on a thread of its own: NCCL finishes that only when no graph with
  // operations of the communicator is left. The first reason is the one that stays. Local; any thread.
  void abort(const std::string& why) noexcept;
  // Throws why it was aborted, if it was.
  void check_alive();

  // register_memory() registers memory of allocate_for_nccl() together with the other ranks, COLLECTIVE.
  // forget_memory() takes it back, on this rank alone; during an abort it waits for the end of that: destroy the graphs
  // before. close() takes back all.
  void register_memory(void* memory, std::size_t bytes);
  void forget_memory(void* memory) noexcept;
  // The number of pieces of memory it knows, by how they were registered: as windows, or plainly.
  struct Registered {
    int windows = 0;
    int buffers = 0;
  };
  Registered registered();

  // Closes the communicator on the good path. COLLECTIVE. REQUIRES: nothing under way.
  void close();

 private:
  // Waits until the calls are prepared; the lock is held on return, but not meanwhile.
  void settle(std::unique_lock<std::mutex>& lock);
  void throw_if_gone() const;
  // Runs on abort_: waits for abort(), then has NCCL end the operations under way.
  void abort_when_told(const std::stop_token& stop);

  std::mutex mutex_;  // guards all below
  NcclComm comm_;     // null: closed or aborted
  std::string gone_;  // why comm_ is null
  std::map<void*, NcclRegistration> registered_;
  NcclComm aborting_;                    // null: no abort is under way
  std::condition_variable_any changed_;  // notified when aborting_ changes
  int gpu_;
  Memory memory_;
  std::function<void()> drive_;
  std::jthread abort_;  // started early: a rank that fails may not get another thread. Joined first
};

}  // namespace lockstep
