#include "train/served/server_memory.h"

#include <fmt/format.h>

#include "base/counted.h"
#include "base/error.h"

namespace lockstep {
namespace {

std::string in_mb(std::int64_t bytes) { return fmt::format("{:.1f} MB", static_cast<double>(bytes) * 1e-6); }

std::string parts_of_memory(const ServerMemory& need) {
  return fmt::format("values {}, gradients of the ranks that train {}, optimizer {}, and {} while a state is saved",
                     in_mb(need.values), in_mb(need.mailboxes), in_mb(need.state), in_mb(need.cut));
}

constexpr const char* kWhatHelps =
    "what helps: servers on more hosts (--ps_replicas, --ps_ranks), fewer ranks that train, a smaller model";

}  // namespace

ServerMemory server_memory(const PsGroup& group, const std::vector<int>& servers, const ServerMemoryFacts& facts) {
  std::int64_t count = 0;  // values of all of them
  for (const int server : servers) count += group.range(server).count();
  const std::int64_t range = count * static_cast<std::int64_t>(sizeof(float));
  if (facts.adds) return {.values = 2 * range, .cut = range};  // AddedState reads them into memory of its own
  const std::int64_t travels = count * static_cast<std::int64_t>(size_of(group.wire_dtype));
  const bool rounds = group.wire_dtype != DType::float32;
  const std::int64_t kept = facts.slots + (facts.averages ? 1 : 0);
  return {.values = travels * facts.copies + (rounds ? range : 0),
          .mailboxes = travels * 2 * group.clients,
          .state = range * (kept + (facts.sums || rounds ? 1 : 0)),
          .cut = range * (1 + kept)};
}

std::string impossible_servers(const std::string& who, const ServerMemory& need, const HostMemory& memory) {
  if (memory.total == 0 || need.total() <= static_cast<std::int64_t>(memory.total)) return "";
  return fmt::format("{} would take {} of memory ({}), and {} {}; {}", who, in_mb(need.total()), parts_of_memory(need),
                     memory.of_cgroup ? "the control group (cgroup) allows" : "the host has",
                     in_mb(static_cast<std::int64_t>(memory.total)), kWhatHelps);
}

std::string tight_servers(const std::string& who, const ServerMemory& need, const HostMemory& memory) {
  if (memory.total == 0 || need.total() <= static_cast<std::int64_t>(memory.free)) return "";
  return fmt::format("{} will take {} of memory ({}), and {} are free; {}", who, in_mb(need.total()),
                     parts_of_memory(need), in_mb(static_cast<std::int64_t>(memory.free)), kWhatHelps);
}

void check_server_memory(const TrainingRank& rank, const PsGroup& group, const std::vector<std::string>& hosts,
                         const ServerMemoryFacts& facts) {
  Communicator& ranks = rank.served->ranks;
  const std::string& here = hosts[static_cast<std::size_t>(ranks.rank())];
  std::vector<int> servers;
  for (int server = 0; server < group.servers(); ++server) {
    if (hosts[static_cast<std::size_t>(group.rank_of(server))] == here) servers.push_back(server);
  }
  const ServerMemory need = server_memory(group, servers, facts);
  const HostMemory memory = host_memory();
  const std::string who = fmt::format("{} on {}", counted(std::ssize(servers), "parameter server"), here);
  const std::string impossible = first_text(ranks, impossible_servers(who, need, memory));
  if (!impossible.empty()) throw Error(ExitCode::configuration, impossible, Scope::every_rank);
  const std::string tight = first_text(ranks, tight_servers(who, need, memory));
  if (!tight.empty() && rank.is_chief()) rank.log.warning("{}", tight);
}

}  // namespace lockstep
