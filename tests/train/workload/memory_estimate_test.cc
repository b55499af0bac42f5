#include "train/workload/memory_estimate.h"

#include <doctest/doctest.h>

#include <string>

namespace lockstep {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

MemoryEstimate adam() {
  return estimate_memory(
      {.values = 10 * kMillion, .slots = 2, .passes = PassBytes{.activations = 30 * kMillion, .logits = 5 * kMillion}});
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

HostMemory memory_of(std::uint64_t total, std::uint64_t free) {
  return {.total = total * kMillion, .free = free * kMillion};
}

// Two ranks that need 2000 MB together, of which a batch takes 1000 and 100 are already allocated.
HostNeed two_ranks() {
  return {
      .host = "node7", .ranks = 2, .present = 100 * kMillion, .total = 2000 * kMillion, .of_batch = 1000 * kMillion};
}

}  // namespace

TEST_CASE("memory estimate: four bytes a value, of the parameters, their gradients and each slot") {
  const MemoryEstimate estimate = adam();
  CHECK(estimate.parameters == 40 * kMillion);
  CHECK(estimate.gradients == 40 * kMillion);
  CHECK(estimate.optimizer == 80 * kMillion);
  CHECK(estimate.copies == 0);
  CHECK(estimate.saving == 0);
  CHECK(estimate.of_batch() == 35 * kMillion);
  CHECK(estimate.total() == 195 * kMillion);
}

TEST_CASE("memory estimate: copies for products, a moving average with its own, and what ranks divide") {
  const MemoryEstimate estimate = estimate_memory(
      {.values = 10 * kMillion, .slots = 2, .slots_owners = 4, .products = DType::bfloat16, .averaged = true});
  CHECK(estimate.optimizer == 20 * kMillion);
  CHECK(estimate.copies == (20 + 40 + 20) * kMillion);
  CHECK(estimate_memory({.values = 12, .values_owners = 3}).parameters == 16);
}

TEST_CASE("memory estimate: the rank that saves has a copy of the whole state, and the file made of it") {
  const MemoryFacts facts{.values = 10 * kMillion, .slots = 2, .slots_owners = 4, .averaged = true, .saves = true};
  CHECK(estimate_memory(facts).saving == 2 * (40 + 40 + 80) * kMillion);
}

TEST_CASE("memory estimate: its text and its table name each part that there is") {
  CHECK(describe(adam()) ==
        "195 MB: parameters 40 MB, gradients 40 MB, the optimizer's state 80 MB, activations 30 MB, outputs 5 MB");
  CHECK(describe(estimate_memory({.present = 90 * kMillion, .values = kMillion, .averaged = true})) ==
        "102 MB and what the model's passes take: program and data 90 MB, parameters 4 MB, gradients 4 MB, the "
        "optimizer's state 0 MB, copies of the parameters 4 MB");
  const std::string table = memory_table(adam());
  CHECK(has(table, "gradients                          40 MB\n"));
  CHECK(has(table, "sum                               195 MB\n"));
}

TEST_CASE("memory of a host: refused where its ranks need more than there is, a warning where more than is free") {
  CHECK(impossible_memory(two_ranks(), memory_of(2000, 1)).empty());
  CHECK(impossible_memory(two_ranks(), memory_of(1999, 1)) ==
        "2 ranks on node7 need about 2,000 MB of memory, and the host has 1,999 MB");
  HostMemory group = memory_of(1999, 1);
  group.of_cgroup = true;
  CHECK(has(impossible_memory(two_ranks(), group), "and the control group (cgroup) allows 1,999 MB"));
  CHECK(tight_memory(two_ranks(), memory_of(4000, 1900)).empty());
  CHECK(tight_memory(two_ranks(), memory_of(4000, 1899)) ==
        "2 ranks on node7 will need about 1,900 MB of memory more, and 1,899 MB are free");
  CHECK(impossible_memory(two_ranks(), {}).empty());
  CHECK(tight_memory(two_ranks(), {}).empty());
}

TEST_CASE("memory of a host: the largest batch that fits, in the user's terms and to two digits") {
  const BatchSize batch{.rows = 1000};
  CHECK(largest_batch(two_ranks(), batch, 1500 * kMillion) == 500);
  CHECK(largest_batch(two_ranks(), batch, 1459 * kMillion) == 450);
  CHECK(largest_batch(two_ranks(), batch, 1007 * kMillion) == 7);
  CHECK(largest_batch(two_ranks(), batch, 1000 * kMillion) == 0);
  CHECK(largest_batch(two_ranks(), {.rows = 1000, .least_rows = 501}, 1500 * kMillion) == 0);
  CHECK(largest_batch(two_ranks(), {.rows = 1000, .step = 2}, 1500 * kMillion) == 1000);
}

TEST_CASE("memory of a host: the batch as a cure, for all of the memory and for what is free") {
  const BatchSize batch{.setting = "--global_batch_size", .rows = 1000};
  CHECK(smaller_batch(two_ranks(), batch, memory_of(1600, 1400)) ==
        "--global_batch_size=600, about the largest that fits (500 in what is free now)");
  CHECK(smaller_batch(two_ranks(), batch, memory_of(1600, 1500)) ==
        "--global_batch_size=600, about the largest that fits");
  CHECK(smaller_batch(two_ranks(), batch, memory_of(1600, 100)) ==
        "--global_batch_size=600, about the largest that fits (none in what is free now)");
  CHECK(smaller_batch(two_ranks(), batch, memory_of(4000, 1400)) ==
        "--global_batch_size=500, about the largest that fits into what is free");
  CHECK(smaller_batch(two_ranks(), batch, memory_of(900, 800)).empty());
}

TEST_CASE("memory of a host: of the cures only those that are enough by themselves") {
  const BatchSize batch{.rows = 1000, .of_step = 1000};
  HostNeed need = two_ranks();
  need.recomputed = need.divided = need.total;  // neither cure would change anything
  const auto cures = [&](std::uint64_t total) { return sufficient_cures(need, batch, memory_of(total, total)); };
  CHECK(cures(1600) ==
        "; what is enough: hparam batch_size=600, about the largest that fits, or at most 1 rank on this host");
  CHECK(cures(900) == "; what is enough: a smaller model");
  need.recomputed = 1700 * kMillion;
  need.divided = 1500 * kMillion;
  CHECK(!has(cures(1600), "--recompute"));
  CHECK(has(cures(1600), ", or --shard_optimizer, or at most"));
  CHECK(has(cures(1700), ", or --recompute, or --shard_optimizer, or at most"));
  const BatchSize long_evaluation{.rows = 1000, .of_step = 100, .least_rows = 1000};
  CHECK(sufficient_cures(need, long_evaluation, memory_of(1100, 1100)) ==
        "; what is enough: shorter sequences to evaluate, which take more than a batch, or at most 1 rank on this "
        "host");
}

TEST_CASE("memory estimate: what recomputing and dividing leave of it") {
  MemoryEstimate estimate = adam();
  CHECK(estimate.recomputed() == 195 * kMillion);
  estimate.passes->recomputed = 10 * kMillion;
  CHECK(estimate.recomputed() == 170 * kMillion);
  CHECK(estimate.divided(4) == 135 * kMillion);
}

}  // namespace lockstep
