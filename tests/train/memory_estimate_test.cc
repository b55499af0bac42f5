#include "train/memory_estimate.h"

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

}  // namespace

TEST_CASE("memory estimate: four bytes a value, of the parameters, their gradients and each slot") {
  const MemoryEstimate estimate = adam();
  CHECK(estimate.parameters == 40 * kMillion);
  CHECK(estimate.gradients == 40 * kMillion);
  CHECK(estimate.optimizer == 80 * kMillion);
  CHECK(estimate.copies == 0);
  CHECK(estimate.state() == 160 * kMillion);
  CHECK(estimate.total() == 195 * kMillion);
}

TEST_CASE("memory estimate: copies for products, a moving average with its own, and what ranks divide") {
  const MemoryEstimate estimate = estimate_memory(
      {.values = 10 * kMillion, .slots = 2, .slots_owners = 4, .products = DType::bfloat16, .averaged = true});
  CHECK(estimate.optimizer == 20 * kMillion);
  CHECK(estimate.copies == (20 + 40 + 20) * kMillion);
  CHECK(estimate_memory({.values = 12, .values_owners = 3}).parameters == 16);
}

TEST_CASE("memory estimate: its text names each part") {
  CHECK(describe(adam()) ==
        "195 MB: parameters 40 MB, gradients 40 MB, the optimizer's state 80 MB, activations 30 MB, outputs 5 MB");
  CHECK(describe(estimate_memory({.values = kMillion, .averaged = true})) ==
        "12 MB and what the batch takes: parameters 4 MB, gradients 4 MB, the optimizer's state 0 MB, copies of the "
        "parameters 4 MB");
}

TEST_CASE(
    "memory estimate: a warning where all of it is more than is free, a refusal where the state is more than all") {
  const auto memory = [](std::uint64_t total, std::uint64_t free) {
    return HostMemory{.total = total * kMillion, .free = free * kMillion};
  };
  CHECK(tight_memory(adam(), 2, memory(1000, 390)).empty());
  CHECK(has(tight_memory(adam(), 2, memory(1000, 389)), "2 ranks on this host will need about 195 MB: parameters"));
  CHECK(has(tight_memory(adam(), 2, memory(1000, 389)), "and 389 MB are free"));
  CHECK(impossible_memory(adam(), 2, memory(320, 1)).empty());
  CHECK(
      has(impossible_memory(adam(), 2, memory(319, 1)), "out of memory: 2 ranks on one host would need about 195 MB"));
  CHECK(tight_memory(adam(), 2, {}).empty());
  CHECK(impossible_memory(adam(), 2, {}).empty());
}

}  // namespace lockstep
