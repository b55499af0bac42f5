#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/environment.h"

// The ranks of this job that still have a process on this host, as /proc shows it. While MPI starts, ranks know nothing
// of each other, and the launcher does not report one that ended without an error: those that wait for it would wait in
// vain.
namespace lockstep {

// A process as a rank of a job: PMIx's variables, which mpirun and srun --mpi=pmix set.
struct JobMember {
  std::string job;     // unique on the host
  int rank = 0;        // as the launcher numbers them
  int ranks_here = 1;  // ranks that the launcher started on this host
};
std::optional<JobMember> job_member(const Environment& environment);

// The launcher's process on this host (mpirun, its daemon, slurmstepd): the nearest one above `process` that is not
// part of the job. Nothing if we cannot see it, or if it is the first process of a container.
std::optional<pid_t> launcher_of(const JobMember& me, pid_t process, const std::string& proc);

// The ranks of `me.job` with a living process, in order. Nothing if /proc cannot show them: in another pid namespace
// than the launcher's, or if it hides processes. process: this one. proc: "/proc" on a real host.
std::optional<std::vector<int>> living_ranks(const JobMember& me, pid_t process, const std::string& proc);

// Decides, look by look, that a rank of this host has ended: the same ones have to be missing several times in a row,
// because a process may be looked at while it is being started. Pure.
class EndedRanks {
 public:
  explicit EndedRanks(JobMember me) : me_(std::move(me)) {}

  // True once it is certain, and only on the lowest of the ranks that are left: one message is enough.
  bool certain(const std::optional<std::vector<int>>& living);

 private:
  static constexpr int kLooks = 4;

  JobMember me_;
  std::vector<int> seen_;
  int looks_ = 0;  // number of consecutive looks that saw these ranks
};

// The message that ranks of this host have ended. size: ranks of the job. living: those that are left.
std::string describe_ended(const JobMember& me, int size, const std::vector<int>& living);

}  // namespace lockstep
