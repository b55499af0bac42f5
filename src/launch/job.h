#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/trace.h"
#include "collective/mpi_session.h"
#include "collective/node_page.h"
#include "collective/watchdog.h"
#include "launch/identity.h"

namespace lockstep {

// This process's part of a job: who it is, and from start() on MPI, the status page of its host, its trace, its log
// and the watchdog. Made by run_rank; the only object that ends a job. Main thread, but for abort().
class Job {
 public:
  struct Options {
    bool quiet = false;
    double hang_timeout_s = 60;
  };

  Job();  // looks at the environment only

  // As the launcher says before start(), as MPI says after it.
  int rank() const { return session_ ? session_->rank() : identity_.rank; }
  int size() const { return session_ ? session_->size() : identity_.size; }
  const std::string& host() const { return host_; }
  const Stopwatch& since_start() const { return since_start_; }  // of this process's part

  // Joins the world that the launcher made; a process started by hand is a world of one and leaves MPI alone.
  // COLLECTIVE; watched like every collective. Throws Error(configuration) for a launch that cannot work.
  void start(const Options& options);

  // REQUIRES: after start().
  MpiSession* session() { return session_.get(); }  // null in a world of one
  Trace& trace() { return *trace_; }
  Log& log() { return *log_; }

  // Ends the good path. COLLECTIVE.
  void finish();
  // Prints the error if this rank is the one to tell, and ends the whole job with its code.
  int end(const Error& error);
  // Ends the whole job now. Any thread.
  [[noreturn]] void abort(ExitCode code) noexcept;

 private:
  void join_world(const Options& options);
  bool tells(const Error& error);

  Stopwatch since_start_;
  LaunchIdentity identity_;
  std::string host_;
  std::unique_ptr<MpiSession> session_;
  std::unique_ptr<NodePage> page_;
  std::unique_ptr<Trace> trace_;
  std::unique_ptr<Log> log_;
  std::unique_ptr<Watchdog> watchdog_;  // last: it reads page and trace
};

}  // namespace lockstep
