#pragma once

#include <memory>
#include <string>

#include "base/log.h"
#include "collective/mpi_session.h"
#include "collective/node_page.h"
#include "launch/identity.h"

namespace lockstep {

// This process's part of a job: who it is, its log, and from start() on MPI and the status page of its host.
// Made by run_rank; the only object that ends a job. Main thread, but for abort().
class Job {
 public:
  Job();  // looks at the environment only

  // As the launcher says before start(), as MPI says after it.
  int rank() const { return session_ ? session_->rank() : identity_.rank; }
  int size() const { return session_ ? session_->size() : identity_.size; }
  const std::string& host() const { return host_; }
  int local_rank() const { return session_ ? session_->local_rank() : 0; }

  // Joins the world that the launcher made; a process started by hand is a world of one and leaves MPI alone.
  // COLLECTIVE. Throws Error(configuration) for a launch that cannot work.
  void start(bool quiet);

  // REQUIRES: after start().
  MpiSession* session() { return session_.get(); }  // null in a world of one
  NodePage& page() { return *page_; }
  Log& log() { return *log_; }

  // Ends the good path. COLLECTIVE.
  void finish();
  // Prints the error if this rank is the one to tell, and ends the whole job with its code.
  int end(const Error& error);
  // Ends the whole job now. Any thread.
  [[noreturn]] void abort(ExitCode code) noexcept;

 private:
  bool tells(const Error& error);

  LaunchIdentity identity_;
  std::string host_;
  std::unique_ptr<MpiSession> session_;
  std::unique_ptr<NodePage> page_;
  std::unique_ptr<Log> log_;
};

}  // namespace lockstep
