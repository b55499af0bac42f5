#pragma once

#include <functional>
#include <set>
#include <span>
#include <vector>

#include "base/error.h"
#include "launch/job/job_plan.h"

namespace lockstep {

class MpiSession;

// The other worlds of a job that has several, a training and its evaluators, as this process sees them: the news that
// they send while they run, and the end of all. Main thread; the session outlives it.
class OtherWorlds {
 public:
  enum class News : int {
    ended,          // that world has nothing left to do
    failed,         // a rank of that world has left it, and others may wait for that one forever
    asked_to_stop,  // that world, which had ended, was asked to stop the job
  };

  // plan: of all processes, in the launcher's order.
  OtherWorlds(MpiSession& session, std::span<const RankPlan> plan);

  bool any() const { return !leaders_.empty(); }

  // Sends the news to rank 0 of each other world. Local.
  void tell(News news);
  // Returns whether another world has sent this news. Local. REQUIRES: rank 0 of this world, the only one that receives
  // any.
  bool has_told(News news);

  // Ends this world: waits for all processes, and returns the code of the job: `mine`, or that of a world that has
  // failed without ending the others, unless the job was stopped to be run again. lost: called when some ranks of a
  // failed world do not come; ends the process, with the code that it is given. each_look: called many times a second
  // meanwhile. COLLECTIVE over all processes.
  ExitCode await(ExitCode mine, const std::function<void(ExitCode)>& lost, const std::function<void()>& each_look);

 private:
  MpiSession& session_;
  std::vector<int> leaders_{};  // process that is rank 0 of each other world
  std::set<int> told_{};        // News received so far
};

// The code of a job, from those of its processes: `mine`, unless one is internal; then stopped if one is stopped, else
// internal. Pure.
ExitCode code_of_job(ExitCode mine, std::span<const int> codes);

}  // namespace lockstep
