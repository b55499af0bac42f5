#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "collective/mpi/mpi_environment.h"

namespace lockstep {

struct MpiHandles;  // collective/mpi/mpi_call.h: for this folder's .cc files only

// MPI, from init to finalize, and this process's place in its world. One per process, made by main before anything
// else.
//
// The world is made in two steps, because who is which rank is decided by facts of all processes: the constructor joins
// the processes that the launcher started, all_gather() lets them exchange what they know, and form() makes the
// world that everything else sees. Processes may form several worlds, which then know nothing of each other, but start,
// finalize() and abort() as one job.
//
// Makes settings before MPI_Init_thread (collective/mpi/mpi_environment.h) and asks for MPI_THREAD_SERIALIZED: every
// MPI call but abort's is made under mutex(). If MPI lacks that, the constructor throws Error(configuration). MPI's
// errors are returned, not fatal, on every communicator.
// COLLECTIVE, over all processes: constructor, all_gather(), all_gather_texts(), await_all(), form() and finalize().
// The destructor is local and leaves MPI as it is: after an error the process ends by abort().
class MpiSession {
 public:
  // needs.windows: those that this process may make (collective/mpi/mpi_window.h). A group can make one if all its
  // ranks have started MPI for it.
  explicit MpiSession(const MpiNeeds& needs = {});
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  // The number that the launcher gave this process, and the number of processes.
  int process() const { return process_; }
  int processes() const { return processes_; }
  // all (processes() * mine.size() bytes) = every process's bytes, in the launcher's order.
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all);

  // Every process's text, in the launcher's order; Error(configuration) if they are more than 1 GiB together.
  std::vector<std::string> all_gather_texts(const std::string& mine);

  // Gathers one number of each process at the end of a job of several worlds, where some may have hours to go: waits
  // without keeping a core busy. each_look: called many times a second until all are there.
  std::vector<int> await_all(int mine, const std::function<void()>& each_look);

  // Sends a number to another process, which reads it by told() when it likes. Does not wait. Local.
  void tell(int process, int number);
  // The numbers that other processes have sent by tell() since the last call. Local.
  std::vector<int> told();

  // The processes of one color (0 or more) form a world, ordered by key, then as the launcher numbered them. Once.
  void form(int color, int key);

  // Rank and size in the world that was formed; before that among the processes.
  int rank() const { return rank_; }
  int size() const { return size_; }
  int local_rank() const { return local_rank_; }  // rank among the world's ranks on this host
  int local_size() const { return local_size_; }
  const std::string& host() const { return host_; }
  const std::vector<Setting>& settings() const { return settings_; }  // made before MPI started
  Windows windows() const { return windows_; }                        // for which MPI was started

  // A lock that is held over each MPI call but abort()'s.
  std::mutex& mutex() { return mutex_; }

  // Returns drive(), empty if all processes of the job belong to this world and are on one host, for callers that wait
  // outside of MPI for another rank: a message that MPI has accepted may still lie in this process, and only calls of
  // MPI move it on. Without them, a caller may wait for a rank that waits for that message. REQUIRES: form().
  std::function<void()> driver();
  // Lets MPI move its messages on. Does not wait: if another thread is inside MPI, that thread does it. Local, any
  // thread.
  void drive();
  const MpiHandles& handles() const { return *handles_; }

  // Ends MPI on the good path.
  void finalize();

  // Ends every process of the job with this code, this one for certain: if MPI has not done it within a few seconds,
  // the process leaves by itself. Any thread, also while another one is inside MPI; takes no lock; flushes nothing.
  [[noreturn]] void abort(int code) noexcept;

 private:
  std::unique_ptr<MpiHandles> handles_;
  std::mutex mutex_;
  int process_ = 0;
  int processes_ = 1;
  int rank_ = 0;
  int size_ = 1;
  int local_rank_ = 0;
  int local_size_ = 1;
  std::string host_;
  Windows windows_;
  std::vector<Setting> settings_;
  std::deque<int> numbers_told_;  // send buffers: MPI may still read them
};

}  // namespace lockstep
