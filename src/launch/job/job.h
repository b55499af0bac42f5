#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/trace.h"
#include "launch/job/job_plan.h"

namespace lockstep {

class MpiSession;
class NodePage;
class Watchdog;
struct LaunchIdentity;

// This process's part of a job: who it is, and from start() on MPI, the status page of its host, its trace, its log
// and the watchdog. Made by run_rank; the only object that ends a job. Main thread, but for abort().
class Job {
 public:
  struct Options {
    bool quiet = false;
    double hang_timeout_s = 60;
  };

  Job();  // looks at the environment only
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // As the launcher says before start(), as the plan says after it.
  int rank() const;
  int size() const;
  const std::string& host() const { return host_; }
  std::string scheduler_id() const;  // the job's: "slurm 1234"; "" if no scheduler started it
  const Stopwatch& since_start() const { return since_start_; }  // of this process's part

  // Joins the processes that the launcher started and forms the world that the planner gives this one; a process
  // started by hand is a world of one and leaves MPI alone. COLLECTIVE; watched like every collective. Throws
  // Error(configuration) for a launch that cannot work, and what the planner throws.
  void start(const Options& options, const JobPlanner& planner = plan_workers);

  // REQUIRES: after start().
  const RankPlan& plan() const;
  MpiSession* session();  // null in a world of one
  Trace& trace();
  Log& log();

  // Ends the good path. COLLECTIVE over all processes; those of one world wait for the others as long as it takes.
  void finish();
  // Prints the error if this rank is the one to report it, and ends the whole job with its code.
  [[noreturn]] void end(const Error& error);
  // Ends the whole job now. Any thread.
  [[noreturn]] void abort(ExitCode code) noexcept;

 private:
  void check_started(const char* call) const;
  void open_log(bool quiet);
  void join_world(const Options& options, const JobPlanner& planner);
  bool should_report(const Error& error);

  Stopwatch since_start_;
  std::unique_ptr<LaunchIdentity> identity_;
  std::string host_;
  RankPlan plan_;
  std::unique_ptr<MpiSession> session_;
  std::unique_ptr<NodePage> page_;
  std::unique_ptr<Trace> trace_;
  std::unique_ptr<Log> log_;
  std::unique_ptr<Watchdog> watchdog_;  // last: it reads page and trace
};

}  // namespace lockstep
