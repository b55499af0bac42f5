#include "launch/job/living_ranks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

#include "base/system_file.h"
#include "base/whole_number.h"
#include "collective/mpi/mpi_environment.h"
#include "launch/job/process_tree.h"

namespace lockstep {
namespace {

// The environment a process was started with: "NAME=value", each with a zero at its end. That of a zombie is empty.
Environment environment_of(const std::filesystem::path& process) {
  return [block = read_system_file(process / "environ")](const char* name) -> std::optional<std::string> {
    const std::string begin = std::string(name) + "=";
    for (std::string_view rest = block; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\0'), rest.size());
      if (rest.starts_with(begin)) return std::string(rest.substr(begin.size(), end - begin.size()));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return {};
  };
}

bool is_of(const std::string& job, const std::filesystem::path& process) {
  const auto member = job_member(environment_of(process));
  return member && member->job == job;
}

}  // namespace

std::optional<JobMember> job_member(const Environment& environment) {
  const auto job = environment("PMIX_NAMESPACE");
  const auto rank = count_in(environment, "PMIX_RANK");
  const auto here = ranks_on_this_host(environment);
  if (!job || job->empty() || !rank || !here) return {};
  return JobMember{.job = *job, .rank = *rank, .ranks_here = *here};
}

std::optional<pid_t> launcher_of(const JobMember& me, pid_t process, const std::string& proc) {
  const std::filesystem::path folder(proc);
  if (!is_of(me.job, folder / std::to_string(process))) return {};
  do {
    process = parent_of(folder / std::to_string(process));
  } while (process > 1 && is_of(me.job, folder / std::to_string(process)));
  if (process <= 1) return {};
  return process;
}

std::optional<std::vector<int>> living_ranks(const JobMember& me, pid_t process, const std::string& proc) {
  if (!launcher_of(me, process, proc)) return {};  // where it is hidden, other ranks may be, too
  std::set<int> ranks;
  std::error_code failure;
  for (std::filesystem::directory_iterator entry(proc, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto member = job_member(environment_of(entry->path()));
    if (member && member->job == me.job) ranks.insert(member->rank);
  }
  if (failure || !ranks.contains(me.rank)) return {};
  return std::vector<int>(ranks.begin(), ranks.end());
}

bool EndedRanks::certain(const std::optional<std::vector<int>>& living) {
  const bool missing = living && static_cast<int>(living->size()) < me_.ranks_here;
  if (!missing || *living != seen_) {
    seen_ = missing ? *living : std::vector<int>();
    looks_ = 0;
  }
  if (!missing) return false;
  return ++looks_ >= kLooks && seen_.front() == me_.rank;
}

std::string describe_ended(const JobMember& me, int size, const std::vector<int>& living) {
  std::vector<int> ended;
  for (int rank = 0; me.ranks_here == size && rank < size; ++rank) {
    if (!std::ranges::binary_search(living, rank)) ended.push_back(rank);
  }
  const std::string who = ended.empty()
                              ? fmt::format("{} of the {} ranks of this host",
                                            me.ranks_here - static_cast<int>(living.size()), me.ranks_here)
                              : fmt::format("rank{} {}", ended.size() == 1 ? "" : "s", fmt::join(ended, ", "));
  return fmt::format(
      "rank {}/{} waits for MPI to start, but {} ended before calling MPI_Init. Every process of a job has to run the "
      "same program: look for another one, or for --version, --help and the like, in what the launcher was given",
      me.rank, size, who);
}

}  // namespace lockstep
