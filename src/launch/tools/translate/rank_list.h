#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/role.h"
#include "launch/cluster/cluster_spec.h"

// Ranks and where they run: every source of `lockstep cluster` is read into this, and every format is written from it.
// Pure.
namespace lockstep {

// One process.
struct RankEntry {
  int rank = 0;  // in its world; evaluators have one of their own
  Role role = Role::worker;
  TaskName task{};
  std::string host{};        // without port and brackets; "" if the source does not name it
  std::string address{};     // the task's: "h1:2222", "[fd00::1]:2222"
  int local_rank = 0;        // among the ranks of its world on its host
  int local_size = 1;        // number of ranks of its world on its host
  bool leads_only = false;   // true if it has no share of the data
  std::optional<int> gpu{};  // number among those of its host; nothing: it computes on the CPU, or not at all
};

// An environment variable that describes the cluster to `train`.
struct ClusterVariable {
  std::string name;
  std::optional<std::string> value{};  // to set; nothing: it is set where the job is started
};

struct RankList {
  std::string source;            // for people: "TF_CONFIG", "SLURM_STEP_NODELIST", "hosts"
  std::vector<RankEntry> ranks;  // by rank; only the process itself if it knows no other
  int world_size = 0;            // more than ranks.size() if not all ranks are known
  std::vector<RankEntry> evaluators{};
  std::string first_host{};       // host of rank 0; "" if it is not known
  std::optional<int> own_rank{};  // rank of the process that asks, if a launcher started it as one of several
  ClusterSpec cluster{};          // for TF_CONFIG; without jobs if not all addresses are known
  std::string environment{};      // "environment" of the TF_CONFIG that was read
  // Variables and flags that every process of `train` needs for the same roles, besides being started on these hosts.
  std::vector<ClusterVariable> variables{};
  std::vector<std::string> train_flags{};
  std::string hostfile{};  // path of Open MPI's hostfile, if the hosts come from one
  std::vector<std::string> warnings{};

  bool is_complete() const { return ranks.size() == static_cast<std::size_t>(world_size); }
};

// A host and the number of consecutive processes on it.
struct HostRun {
  std::string host;
  int ranks = 0;
};

// Ranks 0 to n-1 on these hosts, in this order: the first is the chief, the others are workers, each a task of its own
// whose port is 2222 plus its local rank.
RankList list_of_hosts(std::string source, std::span<const HostRun> hosts);

// Sets local_rank and local_size: numbers the ranks of each host, in the order given.
void number_local_ranks(std::vector<RankEntry>& ranks);
// Numbers the GPUs of each host anew, for the entries that have one: in the order in which a launcher starts them, as
// all processes of a host see all of its GPUs. On a host that is not known there is no number.
void number_gpus(RankList& list);

// All processes that a launcher has to start, the trainers first; of evaluators, those whose host the source names.
// Throws Error, configuration, if a host is missing or its name is not valid, or not all ranks are known.
std::vector<RankEntry> launched_processes(const RankList& list);

// The size of a list as a text: "2 ranks", "2 ranks and 1 evaluator, 3 processes".
std::string counted_processes(const RankList& list);

// Consecutive processes on one host, joined.
std::vector<HostRun> host_runs(std::span<const RankEntry> processes);
// The number of processes on each host, hosts in the order of their first one.
std::vector<HostRun> processes_by_host(std::span<const RankEntry> processes);

// Returns whether this is an IPv6 address; anything else with a colon is not a host.
bool is_ipv6_address(const std::string& host);

// Throws Error, configuration, unless the entry's host is a name or a numeric address that a shell and a hostfile take
// as it is.
void check_host(const RankEntry& entry);

}  // namespace lockstep
