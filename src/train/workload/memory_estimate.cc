#include "train/workload/memory_estimate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/counted.h"
#include "train/output/readable_numbers.h"

namespace lockstep {
namespace {

std::string megabytes(std::int64_t bytes) { return fmt::format("{} MB", thousands(static_cast<double>(bytes) * 1e-6)); }

// A part of a rank's memory, by its owner.
struct OwnedPart {
  const char* owner;
  std::int64_t bytes;
};

// The parts that every run has, and the others if they take memory.
std::vector<OwnedPart> parts_of(const MemoryEstimate& estimate) {
  std::vector<OwnedPart> parts;
  if (estimate.present > 0) parts.push_back({"program and data", estimate.present});
  parts.push_back({"parameters", estimate.parameters});
  parts.push_back({"gradients", estimate.gradients});
  parts.push_back({"the optimizer's state", estimate.optimizer});
  if (estimate.copies > 0) parts.push_back({"copies of the parameters", estimate.copies});
  if (estimate.gradient_copies > 0) parts.push_back({"copies of the gradients", estimate.gradient_copies});
  if (estimate.saving > 0) parts.push_back({"checkpoints being written", estimate.saving});
  if (estimate.batches > 0) parts.push_back({"batches", estimate.batches});
  if (!estimate.passes) return parts;
  parts.push_back({"activations", estimate.passes->activations});
  parts.push_back({"outputs", estimate.passes->logits});
  return parts;
}

std::string and_unknown(const MemoryEstimate& estimate) {
  return estimate.passes ? "" : " and what the model's passes take";
}

std::string ranks_on_host(const HostNeed& need) {
  return fmt::format("{} on {}", counted(need.ranks, "rank"), need.host);
}

std::int64_t two_digits(std::int64_t number) {
  std::int64_t unit = 1;
  while (number / unit >= 100) unit *= 10;
  return number / unit * unit;
}

// Bytes that the ranks may take in all if no other process takes more.
std::int64_t reachable(const HostNeed& need, const HostMemory& memory) {
  return static_cast<std::int64_t>(std::min(memory.total, static_cast<std::uint64_t>(need.present) + memory.free));
}

}  // namespace

std::int64_t MemoryEstimate::total() const {
  return present + parameters + gradients + optimizer + copies + gradient_copies + saving + of_batch();
}

MemoryEstimate estimate_memory(const MemoryFacts& facts) {
  const std::int64_t values = facts.values * static_cast<std::int64_t>(size_of(DType::float32));
  const std::int64_t product_copy =
      facts.products == DType::float32 ? 0 : facts.values * static_cast<std::int64_t>(size_of(facts.products));
  const std::int64_t saved = (1 + (facts.averaged ? 1 : 0) + facts.slots) * values;
  return {.present = facts.present,
          .parameters = values / facts.values_owners,
          .gradients = values,
          .optimizer = facts.slots * values / facts.slots_owners,
          .copies = product_copy + (facts.averaged ? values + product_copy : 0),
          .gradient_copies = facts.gradient_copies,
          .saving = facts.saves ? 2 * saved : 0,
          .batches = facts.batches,
          .passes = facts.passes,
          .passes_evaluate = facts.passes_evaluate};
}

std::string describe(const MemoryEstimate& estimate) {
  std::vector<std::string> texts;
  for (const OwnedPart& part : parts_of(estimate))
    texts.push_back(fmt::format("{} {}", part.owner, megabytes(part.bytes)));
  return fmt::format("{}{}: {}", megabytes(estimate.total()), and_unknown(estimate), fmt::join(texts, ", "));
}

std::string memory_table(const MemoryEstimate& estimate) {
  std::vector<OwnedPart> parts = parts_of(estimate);
  parts.push_back({"sum", estimate.total()});
  std::string table;
  for (const OwnedPart& part : parts) table += fmt::format("{:<26}{:>14}\n", part.owner, megabytes(part.bytes));
  if (!estimate.passes) table += "the model does not say what its passes take\n";
  return table;
}

std::int64_t MemoryEstimate::recomputed() const {
  const bool smaller = passes && passes->recomputed > 0;
  return smaller ? total() - passes->total() + passes->recomputed : total();
}

std::int64_t largest_batch(const HostNeed& need, const BatchSize& batch, std::int64_t bytes) {
  const std::int64_t left = bytes - (need.total - need.of_batch);
  if (left <= 0 || need.of_batch <= 0) return 0;
  const double share = static_cast<double>(left) / static_cast<double>(need.of_batch);
  const auto rows = static_cast<std::int64_t>(share * static_cast<double>(batch.rows));
  const std::int64_t size = two_digits(rows * batch.step);
  return size < batch.least_rows * batch.step ? 0 : size;
}

std::string impossible_memory(const HostNeed& need, const HostMemory& memory) {
  if (memory.total == 0 || need.total <= static_cast<std::int64_t>(memory.total)) return "";
  return fmt::format("{} {} about {} of memory, and {} {}", ranks_on_host(need), need.ranks == 1 ? "needs" : "need",
                     megabytes(need.total), memory.of_cgroup ? "the control group (cgroup) allows" : "the host has",
                     megabytes(static_cast<std::int64_t>(memory.total)));
}

std::string tight_memory(const HostNeed& need, const HostMemory& memory) {
  if (memory.total == 0 || need.total <= reachable(need, memory)) return "";
  return fmt::format("{} will need about {} of memory more, and {} are free", ranks_on_host(need),
                     megabytes(need.total - need.present), megabytes(static_cast<std::int64_t>(memory.free)));
}

std::string smaller_batch(const HostNeed& need, const BatchSize& batch, const HostMemory& memory) {
  const std::int64_t now = largest_batch(need, batch, reachable(need, memory));
  const std::int64_t most = largest_batch(need, batch, static_cast<std::int64_t>(memory.total));
  if (need.total <= static_cast<std::int64_t>(memory.total)) {
    return now == 0 ? "" : fmt::format("{}={}, about the largest that fits into what is free", batch.setting, now);
  }
  if (most == 0) return "";
  const std::string free = now == most ? ""
                           : now == 0  ? " (none in what is free now)"
                                       : fmt::format(" ({} in what is free now)", now);
  return fmt::format("{}={}, about the largest that fits{}", batch.setting, most, free);
}

std::string sufficient_cures(const HostNeed& need, const BatchSize& batch, const HostMemory& memory) {
  const auto total = static_cast<std::int64_t>(memory.total);
  const std::int64_t most = need.total > total ? total : reachable(need, memory);
  const auto helps = [&](std::int64_t changed) { return changed < need.total && changed <= most; };
  std::vector<std::string> cures;
  if (std::string smaller = smaller_batch(need, batch, memory); !smaller.empty()) cures.push_back(std::move(smaller));
  if (helps(need.recomputed)) cures.emplace_back("--recompute");
  if (helps(need.total - need.of_batch + need.of_batch / batch.rows * batch.of_step)) {
    cures.emplace_back(kShorterEvaluation);
  }
  if (helps(need.divided)) cures.emplace_back("--shard_optimizer");
  const std::int64_t ranks = most / (need.total / need.ranks);
  if (need.ranks > 1 && ranks > 0) cures.push_back(fmt::format("at most {} on this host", counted(ranks, "rank")));
  if (cures.empty()) cures.emplace_back("a smaller model");
  return fmt::format("; what is enough: {}", fmt::join(cures, ", or "));
}

}  // namespace lockstep
