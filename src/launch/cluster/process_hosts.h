#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "launch/cluster/host_names.h"
#include "launch/cluster/place_tasks.h"

namespace lockstep {

// The hosts that processes run on, numbered as they occur, and the processes that wait there for a task. Processes with
// the same names are on one host. Refers to the processes, which must outlive it. One thread at a time.
class ProcessHosts {
 public:
  explicit ProcessHosts(std::span<const ClusterProcess> processes);

  // Lets the process wait on its host. REQUIRES: called in the launcher's order.
  void wait(std::size_t process) { hosts_[host_of_[process]].waiting.push_back(process); }
  bool anybody_waits(int host) const;
  // Takes the next process that waits on the host. REQUIRES: anybody_waits().
  std::size_t take(int host);

  std::span<const int> find(std::string_view address) const { return directory_.find(address); }
  std::string names(std::span<const int> hosts) const;  // the text "h1 or h2"

 private:
  using Names = const std::vector<std::string>*;
  struct Host {
    Names names;
    std::vector<std::size_t> waiting{};
    std::size_t taken = 0;
  };
  struct Hash {
    std::size_t operator()(Names names) const { return names->empty() ? 0 : std::hash<std::string>()(names->front()); }
  };
  struct Equal {
    bool operator()(Names a, Names b) const { return *a == *b; }
  };

  HostDirectory directory_;
  std::vector<Host> hosts_;
  std::vector<std::size_t> host_of_;  // host of each process
};

}  // namespace lockstep
