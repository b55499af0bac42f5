#include "launch/job/lost_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

namespace lockstep {
namespace {

// Returns whether a variable of Open MPI or Slurm switches something on.
bool is_on(const std::optional<std::string>& value) {
  return value && !value->empty() && *value != "0" && *value != "false" && *value != "no";
}

// The namespace in which this process has its number; "" if it cannot be seen.
std::string process_namespace() {
  std::error_code unknown;
  return std::filesystem::read_symlink("/proc/self/ns/pid", unknown).string();
}

}  // namespace

std::string why_ranks_end_together(const Environment& environment, Launcher launcher, std::optional<int> open_mpi,
                                   std::span<const Setting> settings) {
  if (open_mpi != 4) return "it is known to work with Open MPI 4 only";
  if (launcher == Launcher::mpirun && !is_on(environment("OMPI_MCA_orte_enable_recovery"))) {
    return "mpirun would end the whole job when one rank dies; start it with mpirun --enable-recovery";
  }
  if (launcher == Launcher::srun && is_on(environment("SLURM_KILL_BAD_EXIT"))) {
    return "SLURM_KILL_BAD_EXIT makes srun end the whole job when one rank dies; start it with srun "
           "--kill-on-bad-exit=0";
  }
  if (!outlive_ranks(settings)) {
    return "MPI was not started for it: give --on_worker_loss=continue to all ranks, and leave pml, btl and "
           "btl_vader_single_copy_mechanism to Lockstep";
  }
  return "";
}

PeerProcesses watched_processes(Communicator& world, std::string& why) {
  struct Member {
    ProcessPlace place;
    std::array<char, 64> process_namespace{};
  };
  Member mine{.place = this_process()};
  const std::string own = process_namespace();
  own.copy(mine.process_namespace.data(), mine.process_namespace.size() - 1);
  const auto all = all_gather_value(world, mine);
  PeerProcesses processes;
  for (const Member& member : all) {
    if (member.place.host != mine.place.host) {
      why = "the ranks are on several hosts";
    } else if (member.process_namespace != mine.process_namespace) {
      why = "the ranks are in several containers, which do not see each other's processes; start all of them in one";
    }
    processes.push_back(std::make_shared<const PeerProcess>(member.place));
  }
  const auto cannot_be_watched = [](const auto& process) { return !process->can_be_watched(); };
  if (why.empty() && std::ranges::any_of(processes, cannot_be_watched)) {
    why = "this system does not tell when a process ends (pidfd_open, of Linux 5.3)";
  }
  why = first_text(world, why);
  return processes;
}

std::string describe_lost(int rank, const PeerProcess& process) {
  return fmt::format(
      "rank {}, {}, has ended, and the job cannot go on without it: look for what ended it above, and "
      "start the job again; it resumes from its newest checkpoint",
      rank, process.text());
}

}  // namespace lockstep
