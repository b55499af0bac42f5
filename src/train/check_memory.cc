#include "train/check_memory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "collective/host_layout.h"
#include "collective/mpi_session.h"
#include "train/evaluation.h"

namespace lockstep {
namespace {

// Of a share: samples, or symbols of sequences; whole sequences may make it a little larger or smaller, and one that is
// longer is a share by itself.
std::int64_t rows_of_share(const BatchPlan& batches) {
  return std::max((batches.global_batch() + batches.shares() - 1) / batches.shares(), batches.longest_sample());
}

}  // namespace

MemoryEstimate estimate_memory(const RunSetup& run, const TrainingRank& rank, const Optimizer& optimizer,
                               std::int64_t eval_samples) {
  const std::int64_t ranks = rank.compute.size();
  const bool one_for_all = values_place(run.strategy, run.settings) == ValuesPlace::one_for_all;
  const DType products = product_dtype(run.settings, rank.backend);
  MemoryFacts facts{.values = run.workload.model->table().padded_count(),
                    .slots = std::ssize(optimizer.slots()),
                    .values_owners = one_for_all ? ranks : 1,
                    .slots_owners = one_for_all || run.settings.shard_optimizer ? ranks : 1,
                    .products = products,
                    .averaged = run.settings.ema.has_value()};
  // An evaluation keeps what a training pass over as many rows keeps, in the same memory.
  const std::int64_t trained = rows_of_share(*run.workload.plan.batches);
  const std::int64_t evaluated = largest_evaluation_chunk(*run.workload.problem, run.workload.evaluated, eval_samples);
  facts.passes = run.workload.model->pass_bytes(std::max(trained, evaluated), products);
  facts.passes_evaluate = facts.passes && evaluated > trained;
  return estimate_memory(facts);
}

std::string memory_cures(const RunSetup& run, const MemoryEstimate& estimate) {
  std::vector<std::string> cures;
  if (estimate.passes && !run.settings.recompute) cures.emplace_back("--recompute");
  cures.emplace_back(estimate.passes_evaluate ? "shorter sequences to evaluate, which take more than a batch"
                                              : "a smaller batch_size");
  const bool divided = run.settings.shard_optimizer || run.gradients->size() == 1;
  if (run.settings.strategy == "sync" && !divided) cures.emplace_back("--shard_optimizer");
  cures.emplace_back("fewer ranks on this host");
  return fmt::format("; what helps: {}", fmt::join(cures, ", "));
}

void check_memory(const RunSetup& run, const TrainingRank& rank, const MemoryEstimate& estimate) {
  if (estimate.passes) rank.log.info("memory of a rank: about {}", describe(estimate));
  if (rank.backend.device().kind != Device::Kind::cpu) return;  // a device's memory is not the host's
  Communicator& group = rank.compute;
  const HostLayout hosts = find_hosts(group, rank.session == nullptr ? "" : rank.session->host());
  const int ranks_here = hosts.ranks_on(hosts.host_of(group.rank()));
  const HostMemory memory = host_memory();
  if (const std::string why = first_text(group, impossible_memory(estimate, ranks_here, memory)); !why.empty()) {
    throw Error(ExitCode::internal, why + "; use a smaller model, or fewer ranks on a host", Scope::every_rank);
  }
  const std::string tight = first_text(group, tight_memory(estimate, ranks_here, memory));
  if (!tight.empty() && rank.is_chief()) rank.log.warning("{}{}", tight, memory_cures(run, estimate));
}

}  // namespace lockstep
