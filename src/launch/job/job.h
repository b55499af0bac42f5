#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/trace.h"
#include "launch/job/job_plan.h"

namespace lockstep {

class Deadline;
class MpiSession;
class NodePage;
class Communicator;
class OtherWorlds;
class RanksWatch;
class Watchdog;
struct LaunchIdentity;
enum class Launcher;
enum class Windows;

// This process's part of a job: its identity, and from start() on MPI, the status page of its host, its trace, its log
// and the watchdog. Made by run_rank; the only object that ends a job. Main thread, except abort().
class Job {
 public:
  struct Options {
    bool quiet = false;
    double hang_timeout_s = 60;
    // Seconds that this world waits at its end for the others of the job, which may still have much to do; nothing:
    // forever.
    std::optional<double> others_timeout_s{};
    std::function<void()> while_waiting{};              // called many times a second meanwhile, on rank 0
    const std::atomic<bool>* stop_requested = nullptr;  // passed on to the others meanwhile; null: no such requests
    bool is_aside = false;                              // true if the other worlds of the job go on when this one hangs
    // This process's facts for the planner, as in ProcessFacts.
    std::string statement{};    // at most some kilobytes: each differs from the others
    std::string description{};  // sent once for all processes that say the same
    std::vector<std::string> host_names{};
    int gpus = 0;
    Windows windows{};            // for which this process starts MPI (collective/mpi/mpi_environment.h); none
    bool outlives_ranks = false;  // MpiNeeds::outlives_ranks
  };

  Job();  // looks at the environment only
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // As the launcher says before join(), as the plan says after it.
  int rank() const;
  int size() const;
  int process() const;  // as the launcher numbered it
  const std::string& host() const { return host_; }
  Launcher launcher() const;
  std::string scheduler_id() const;  // the job's: "slurm 1234"; "" if no scheduler started it
  const Stopwatch& since_start() const { return since_start_; }  // time since the Job was made

  // Joins the processes that the launcher started and forms the world that the planner gives this one; a process
  // started by hand is a world of one and leaves MPI alone. COLLECTIVE; after hang_timeout_s of waiting ends this
  // process. Throws Error(configuration) for a launch that cannot work, and what the planner throws.
  void join(const Options& options, const JobPlanner& planner = plan_workers);
  // Makes trace and log, and has collectives watched from here on. Local. REQUIRES: after join().
  void begin(const Options& options);
  // join() and begin().
  void start(const Options& options, const JobPlanner& planner = plan_workers);

  // REQUIRES: after join().
  const RankPlan& plan() const;
  // REQUIRES: after start().
  MpiSession* session();  // null in a world of one
  Trace& trace();
  Log& log();

  // Returns whether this job has other worlds than this one. REQUIRES: after join().
  bool has_other_worlds() const;
  // True once another world has ended. Local. REQUIRES: rank 0.
  bool another_world_ended();
  // True once another world that has ended was asked to stop. Local. REQUIRES: rank 0.
  bool another_world_asked_to_stop();
  // Takes this rank, which has failed, out of its world. The other ranks may wait for it forever: they are not reported
  // as hanging, and the job does not wait for them at its end. Local. REQUIRES: after begin().
  void leave_world();

  // Lets the job go on without those ranks of its world that it can spare, and returns what watches all of them, which
  // this owns. COLLECTIVE. Throws Error(configuration) of every rank where that is not possible
  // (why_ranks_end_together). REQUIRES: after begin().
  RanksWatch& outlive_ranks(Communicator& world, std::function<bool(int rank)> can_spare);
  // Ends the good path of a job that has lost a rank: this process alone, without MPI, whose end would wait for it.
  [[noreturn]] void leave(ExitCode code) noexcept;

  // Ends the good path, and returns the code to leave with: this process's, or that of a world of the job that has
  // failed without ending the others. COLLECTIVE over all processes.
  ExitCode finish(ExitCode code);
  // Prints the error if this rank is the one to report it, and ends the whole job with its code.
  [[noreturn]] void end(const Error& error);
  // Ends the whole job now. Any thread.
  [[noreturn]] void abort(ExitCode code) noexcept;

 private:
  static void check_started(const char* call, bool started);
  void open_log(bool quiet);
  void join_world(const Options& options, const JobPlanner& planner);
  bool should_report(const Error& error);
  ExitCode await_others(ExitCode code);

  Stopwatch since_start_;
  std::unique_ptr<LaunchIdentity> identity_;
  std::string host_;
  RankPlan plan_;
  std::optional<double> others_timeout_s_;
  std::function<void()> while_waiting_;
  const std::atomic<bool>* stop_requested_ = nullptr;
  std::unique_ptr<MpiSession> session_;
  std::unique_ptr<OtherWorlds> others_;
  std::unique_ptr<NodePage> page_;
  std::unique_ptr<Trace> trace_;
  std::unique_ptr<Log> log_;
  std::unique_ptr<Watchdog> watchdog_;          // declared after what it reads: page and trace
  std::unique_ptr<RanksWatch> ranks_watch_;     // null: the launcher ends all ranks together
  std::unique_ptr<Deadline> launcher_watched_;  // without an end; looks for the launcher each second
};

}  // namespace lockstep
