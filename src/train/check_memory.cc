#include "train/check_memory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "collective/host_layout.h"
#include "collective/mpi_session.h"

namespace lockstep {
namespace {

// Chunks of samples of one row are small ones, of sequences they may be a long one each.
bool takes_most_to_evaluate(const MemoryRequest& request, const MemoryEstimate& estimate) {
  return estimate.passes_evaluate && request.workload.shape.has_sequences();
}

// The ways to make it smaller. batch: what to do about that, "a smaller batch_size"; "": nothing.
std::string memory_cures(const MemoryRequest& request, const MemoryEstimate& estimate, const std::string& batch,
                         int ranks_here) {
  std::vector<std::string> cures;
  if (!batch.empty()) cures.push_back(batch);
  if (estimate.passes && estimate.passes->recompute_helps) cures.emplace_back("--recompute");
  if (takes_most_to_evaluate(request, estimate))
    cures.emplace_back("shorter sequences to evaluate, which take more than a batch");
  const bool divided = request.settings.shard_optimizer || request.ranks == 1;
  if (request.settings.strategy == "sync" && !divided) cures.emplace_back("--shard_optimizer");
  if (ranks_here > 1) cures.emplace_back("fewer ranks on this host");
  if (cures.empty()) cures.emplace_back("a smaller model");
  return fmt::format("; what helps: {}", fmt::join(cures, ", "));
}

// The need of all ranks of this one's host. COLLECTIVE.
HostNeed host_need(const MemoryEstimate& mine, const TrainingRank& rank) {
  Communicator& group = rank.compute;
  const std::string host = rank.session == nullptr ? "" : rank.session->host();
  const HostLayout hosts = find_hosts(group, host);
  struct Wire {
    std::int64_t present;
    std::int64_t total;
    std::int64_t of_batch;
  };
  const auto all = all_gather_value(group, Wire{mine.present, mine.total(), mine.of_batch()});
  HostNeed need{.host = host.empty() ? "this host" : host};
  for (int other = 0; other < group.size(); ++other) {
    if (hosts.host_of(other) != hosts.host_of(group.rank())) continue;
    const Wire& wire = all[static_cast<std::size_t>(other)];
    ++need.ranks;
    need.present += wire.present;
    need.total += wire.total;
    need.of_batch += wire.of_batch;
  }
  return need;
}

}  // namespace

std::string memory_need(const MemoryRequest& request) {
  const MemoryEstimate estimate = estimate_memory(request);
  const char* const batch = takes_most_to_evaluate(request, estimate) ? "" : "a smaller batch_size";
  return fmt::format("; a rank of this run needs about {}{}", describe(estimate),
                     memory_cures(request, estimate, batch, request.ranks));
}

void check_memory(const MemoryRequest& request, const TrainingRank& rank) {
  const MemoryEstimate estimate = estimate_memory(request);
  rank.log.info("memory of a rank: about {}", describe(estimate));
  if (!request.on_host) return;  // a device's memory is not the host's
  const HostMemory memory = host_memory();
  const HostNeed need = host_need(estimate, rank);
  const auto with_cures = [&](const std::string& what) {
    if (what.empty()) return what;
    const std::string batch = smaller_batch(need, batch_size(request), memory);
    return fmt::format("{}{}; a rank takes {}{}", what, batch.empty() ? ", and no batch is small enough" : "",
                       describe(estimate), memory_cures(request, estimate, batch, need.ranks));
  };
  const std::string why = first_text(rank.compute, with_cures(impossible_memory(need, memory)));
  if (!why.empty()) throw Error(ExitCode::configuration, why, Scope::every_rank);
  const std::string tight = first_text(rank.compute, with_cures(tight_memory(need, memory)));
  if (!tight.empty() && rank.is_chief()) rank.log.warning("{}", tight);
}

}  // namespace lockstep
