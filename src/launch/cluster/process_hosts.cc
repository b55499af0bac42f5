#include "launch/cluster/process_hosts.h"

#include "base/printable.h"

namespace lockstep {

ProcessHosts::ProcessHosts(std::span<const ClusterProcess> processes) : directory_(3 * processes.size()) {
  std::unordered_map<Names, std::size_t, Hash, Equal> numbers;
  numbers.reserve(processes.size());
  hosts_.reserve(processes.size());
  host_of_.reserve(processes.size());
  for (const ClusterProcess& process : processes) {
    const auto [host, is_new] = numbers.emplace(&process.host_names, hosts_.size());
    if (is_new) {
      directory_.add(static_cast<int>(host->second), process.host_names);
      hosts_.push_back({.names = &process.host_names});
    }
    host_of_.push_back(host->second);
  }
}

bool ProcessHosts::anybody_waits(int host) const {
  const Host& from = hosts_[static_cast<std::size_t>(host)];
  return from.taken < from.waiting.size();
}

std::size_t ProcessHosts::take(int host) {
  Host& from = hosts_[static_cast<std::size_t>(host)];
  return from.waiting[from.taken++];
}

std::string ProcessHosts::names(std::span<const int> hosts) const {
  std::string text;
  for (const int host : hosts) {
    if (!text.empty()) text += " or ";
    text += escaped(hosts_[static_cast<std::size_t>(host)].names->front());
  }
  return text;
}

}  // namespace lockstep
