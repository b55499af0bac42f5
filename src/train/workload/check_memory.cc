#include "train/workload/check_memory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "collective/host_layout.h"
#include "collective/mpi/mpi_session.h"

namespace lockstep {
namespace {

bool can_divide(const MemoryRequest& request) {
  return request.settings.strategy == "sync" && !request.settings.shard_optimizer && request.ranks > 1;
}

// Ways to reduce the memory, for a message.
std::string memory_cures(const MemoryRequest& request, const MemoryEstimate& estimate) {
  const bool evaluation = estimate.passes_evaluate;
  std::vector<std::string> cures;
  if (!evaluation) cures.emplace_back("a smaller batch_size");
  if (estimate.recomputed() < estimate.total()) cures.emplace_back("--recompute");
  if (evaluation) cures.emplace_back(kShorterEvaluation);
  if (can_divide(request)) cures.emplace_back("--shard_optimizer");
  if (request.ranks > 1) cures.emplace_back("fewer ranks on this host");
  return fmt::format("; what helps: {}", fmt::join(cures, ", "));
}

// The memory need of all ranks on this rank's host. COLLECTIVE.
HostNeed host_need(const MemoryRequest& request, const MemoryEstimate& mine, const TrainingRank& rank) {
  Communicator& group = rank.compute;
  const std::string host = rank.session == nullptr ? "" : rank.session->host();
  const HostLayout hosts = find_hosts(group, host);
  struct Wire {
    std::int64_t present;
    std::int64_t total;
    std::int64_t of_batch;
    std::int64_t recomputed;
    std::int64_t divided;
  };
  const std::int64_t divided = can_divide(request) ? mine.divided(request.ranks) : mine.total();
  const auto all =
      all_gather_value(group, Wire{mine.present, mine.total(), mine.of_batch(), mine.recomputed(), divided});
  HostNeed need{.host = host.empty() ? "this host" : host};
  for (int other = 0; other < group.size(); ++other) {
    if (hosts.host_of(other) != hosts.host_of(group.rank())) continue;
    const Wire& wire = all[static_cast<std::size_t>(other)];
    ++need.ranks;
    need.present += wire.present;
    need.total += wire.total;
    need.of_batch += wire.of_batch;
    need.recomputed += wire.recomputed;
    need.divided += wire.divided;
  }
  return need;
}

}  // namespace

std::string memory_need(const MemoryRequest& request) {
  const MemoryEstimate estimate = estimate_memory(request);
  return fmt::format("; a rank of this run needs about {}{}", describe(estimate), memory_cures(request, estimate));
}

void check_memory(const MemoryRequest& request, const TrainingRank& rank) {
  const MemoryEstimate estimate = estimate_memory(request);
  rank.log.info("memory of a rank: about {}", describe(estimate));
  if (!request.on_host) return;  // a device's memory is not the host's
  const HostMemory memory = host_memory();
  const HostNeed need = host_need(request, estimate, rank);
  const auto with_cures = [&](const std::string& what) {
    if (what.empty()) return what;
    const BatchSize batch = batch_size(request);
    const bool none = smaller_batch(need, batch, memory).empty();
    return fmt::format("{}{}; a rank takes {}{}", what, none ? ", and no batch is small enough" : "",
                       describe(estimate), sufficient_cures(need, batch, memory));
  };
  const std::string why = first_text(rank.compute, with_cures(impossible_memory(need, memory)));
  if (!why.empty()) throw Error(ExitCode::configuration, why, Scope::every_rank);
  const std::string tight = first_text(rank.compute, with_cures(tight_memory(need, memory)));
  if (!tight.empty() && rank.is_chief()) rank.log.warning("{}", tight);
}

}  // namespace lockstep
