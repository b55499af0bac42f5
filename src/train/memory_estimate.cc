#include "train/memory_estimate.h"

#include <fmt/format.h>

#include "base/counted.h"
#include "train/output/figures.h"

namespace lockstep {
namespace {

std::string megabytes(std::int64_t bytes) { return fmt::format("{} MB", thousands(static_cast<double>(bytes) * 1e-6)); }

}  // namespace

std::int64_t MemoryEstimate::total() const {
  return state() + copies + (passes ? passes->activations + passes->logits : 0);
}

MemoryEstimate estimate_memory(const MemoryFacts& facts) {
  const std::int64_t values = facts.values * static_cast<std::int64_t>(size_of(DType::float32));
  const std::int64_t product_copy =
      facts.products == DType::float32 ? 0 : facts.values * static_cast<std::int64_t>(size_of(facts.products));
  return {.parameters = values / facts.values_owners,
          .gradients = values,
          .optimizer = facts.slots * values / facts.slots_owners,
          .copies = product_copy + (facts.averaged ? values + product_copy : 0),
          .passes = facts.passes,
          .passes_evaluate = facts.passes_evaluate};
}

std::string describe(const MemoryEstimate& estimate) {
  std::string parts =
      fmt::format("parameters {}, gradients {}, the optimizer's state {}", megabytes(estimate.parameters),
                  megabytes(estimate.gradients), megabytes(estimate.optimizer));
  if (estimate.copies > 0) parts += fmt::format(", copies of the parameters {}", megabytes(estimate.copies));
  if (!estimate.passes) return fmt::format("{} and what the batch takes: {}", megabytes(estimate.total()), parts);
  return fmt::format("{}: {}, activations {}, outputs {}", megabytes(estimate.total()), parts,
                     megabytes(estimate.passes->activations), megabytes(estimate.passes->logits));
}

std::string tight_memory(const MemoryEstimate& estimate, int ranks_on_host, const HostMemory& memory) {
  const std::int64_t needed = estimate.total() * ranks_on_host;
  if (memory.total == 0 || needed <= static_cast<std::int64_t>(memory.free)) return "";
  return fmt::format("{} on this host will need about {} each, and {} are free", counted(ranks_on_host, "rank"),
                     describe(estimate), megabytes(static_cast<std::int64_t>(memory.free)));
}

std::string impossible_memory(const MemoryEstimate& estimate, int ranks_on_host, const HostMemory& memory) {
  const std::int64_t needed = estimate.state() * ranks_on_host;
  if (memory.total == 0 || needed <= static_cast<std::int64_t>(memory.total)) return "";
  return fmt::format("out of memory: {} on one host would need about {} each, and all there is for them is {}",
                     counted(ranks_on_host, "rank"), describe(estimate),
                     megabytes(static_cast<std::int64_t>(memory.total)));
}

}  // namespace lockstep
