#pragma once

#include <memory>
#include <mutex>
#include <string>

namespace lockstep {

struct MpiHandles;  // collective/mpi_call.h: for this folder's .cc files only

// MPI, from init to finalize, and where this process stands in its world. One a process, made by main, first of all.
//
// Makes working settings before MPI_Init_thread (collective/mpi_environment.h) and asks for MPI_THREAD_SERIALIZED:
// every MPI call but abort's is made under mutex(). Errors are returned, not fatal, on every communicator.
// COLLECTIVE: constructor and finalize(). The destructor is local and leaves MPI as it is: after an error the process
// ends by abort().
class MpiSession {
 public:
  MpiSession();
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  int local_rank() const { return local_rank_; }  // among the ranks of this host
  int local_size() const { return local_size_; }
  const std::string& host() const { return host_; }

  // Held over each blocking MPI call.
  std::mutex& mutex() { return mutex_; }
  const MpiHandles& handles() const { return *handles_; }

  // Ends the good path.
  void finalize();

  // Ends every process of the job with this code, this one for certain: if MPI has not done it within a few seconds,
  // the process leaves by itself. Any thread, also while another one is inside MPI; takes no lock; flushes nothing.
  [[noreturn]] void abort(int code) noexcept;

 private:
  std::unique_ptr<MpiHandles> handles_;
  std::mutex mutex_;
  int rank_ = 0;
  int size_ = 1;
  int local_rank_ = 0;
  int local_size_ = 1;
  std::string host_;
};

}  // namespace lockstep
