#include "launch/start/idle_hosts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <set>

#include "base/error.h"
#include "base/input_file.h"
#include "base/printable.h"
#include "base/slurm_lists.h"
#include "launch/cluster/host_names.h"
#include "launch/job/identity.h"
#include "launch/tools/translate/sources/rank_sources.h"

namespace lockstep {
namespace {

AllocatedHosts hosts_of_slurm(const std::string& nodelist) {
  return {
      .scheduler = "Slurm", .component = "slurm", .source = "SLURM_JOB_NODELIST", .hosts = expand_hostlist(nodelist)};
}

AllocatedHosts hosts_of_grid_engine(const std::string& path) {
  AllocatedHosts allocated{.scheduler = "Grid Engine", .component = "gridengine", .source = "PE_HOSTFILE"};
  for (const HostRun& host : processes_by_host(ranks_of_pe_hostfile(read_file(path), path).ranks)) {
    allocated.hosts.push_back(host.host);
  }
  return allocated;
}

std::vector<std::string> names_of_host(const ProcessFacts& process) {
  std::vector<std::string> names{process.host};
  names.insert(names.end(), process.host_names.begin(), process.host_names.end());
  return names;
}

// The hosts as a text: "n2, n3 and 5 more".
std::string first_few(const std::vector<std::string>& hosts) {
  constexpr std::size_t kMostNamed = 4;
  const std::size_t named = std::min(hosts.size(), kMostNamed);
  const std::string more = hosts.size() > named ? fmt::format(" and {} more", hosts.size() - named) : "";
  return escaped(fmt::format("{}", fmt::join(std::span(hosts).first(named), ", "))) + more;
}

}  // namespace

AllocatedHosts allocated_hosts(const Environment& environment) {
  if (launch_identity(environment).launcher == Launcher::srun) return {};
  try {
    if (const auto nodelist = environment("SLURM_JOB_NODELIST")) return hosts_of_slurm(*nodelist);
    if (const auto path = environment("PE_HOSTFILE")) return hosts_of_grid_engine(*path);
  } catch (const Error&) {
    return {};
  }
  return {};
}

std::string describe_idle_hosts(const AllocatedHosts& allocated, std::span<const ProcessFacts> processes) {
  HostDirectory directory;
  std::set<std::string> used;
  for (const ProcessFacts& process : processes) {
    if (used.insert(process.host).second) directory.add(static_cast<int>(used.size()), names_of_host(process));
  }
  std::vector<std::string> idle;
  for (const std::string& host : allocated.hosts) {
    if (directory.find(host).empty()) idle.push_back(host);
  }
  if (idle.empty() || idle.size() == allocated.hosts.size()) return {};
  std::string text = fmt::format("no rank runs on {}, which {} gives this job", first_few(idle), allocated.source);
  if (used.size() == 1) {
    text += fmt::format(
        "; all run on {}: an mpirun without support for {} starts all ranks on its own host (ompi_info | grep {} "
        "prints "
        "nothing then), and a program without mpirun is one rank",
        escaped(processes.front().host), allocated.scheduler, allocated.component);
  }
  return text;
}

}  // namespace lockstep
