#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/host_memory.h"
#include "model/model.h"
#include "tensor/dtype.h"

namespace lockstep {

// What a run's memory follows from.
struct MemoryFacts {
  std::int64_t present = 0;          // bytes in use before the run takes more: the program and its data
  std::int64_t values = 0;           // of the model, in float32
  std::int64_t slots = 0;            // of the optimizer, each as large
  std::int64_t values_owners = 1;    // ranks that have one copy of the values together
  std::int64_t slots_owners = 1;     // ranks that have the slots together, a part each
  DType products = DType::float32;   // another type: products take copies of the values in it
  bool averaged = false;             // a moving average of the values is kept
  std::int64_t gradient_copies = 0;  // bytes: partial sums of gradients, and gradients in the type they travel in
  bool saves = false;                // this rank writes the checkpoints
  std::int64_t batches = 0;          // bytes of batches that are read ahead, and of an evaluation's
  std::optional<PassBytes> passes{};
  bool passes_evaluate = false;  // these are an evaluation's, which takes more than training
};

// The memory of a rank that trains, in bytes, by what it is for. A plain value.
struct MemoryEstimate {
  std::int64_t present = 0;
  std::int64_t parameters = 0;
  std::int64_t gradients = 0;
  std::int64_t optimizer = 0;  // its state
  std::int64_t copies = 0;     // of the parameters: for products, and the moving average
  std::int64_t gradient_copies = 0;
  std::int64_t saving = 0;  // a copy of the state, and the checkpoint file that is made of it in memory
  std::int64_t batches = 0;
  std::optional<PassBytes> passes{};
  bool passes_evaluate = false;

  std::int64_t of_batch() const { return batches + (passes ? passes->total() : 0); }
  std::int64_t total() const;
  // The total with --recompute, or with the optimizer's state divided among so many ranks.
  std::int64_t recomputed() const;
  std::int64_t divided(int ranks) const { return total() - optimizer + optimizer / ranks; }
};

// Arithmetic over what is known before the first step.
MemoryEstimate estimate_memory(const MemoryFacts& facts);

// "772 MB: program and data 98 MB, parameters 193 MB, ..."
std::string describe(const MemoryEstimate& estimate);
// The same, a line each.
std::string memory_table(const MemoryEstimate& estimate);

// The need of all ranks of a host together.
struct HostNeed {
  std::string host{};
  int ranks = 0;
  std::int64_t present = 0;
  std::int64_t total = 0;
  std::int64_t of_batch = 0;    // of the total, what a smaller batch makes smaller
  std::int64_t recomputed = 0;  // the total with --recompute
  std::int64_t divided = 0;     // the total with --shard_optimizer
};

// The size of a batch, and the setting by which the user gave it.
struct BatchSize {
  std::string_view setting = "hparam batch_size";
  std::int64_t rows = 1;        // of the largest pass of a rank
  std::int64_t of_step = 1;     // of those, what a step has, if shorter sequences would leave an evaluation as few
  std::int64_t least_rows = 1;  // that no batch can have fewer of: the longest sample's, an evaluation's
  std::int64_t step = 1;        // how much more of the setting one more row is
};

// About the largest batch with which the host needs no more than so many bytes, in terms of the setting and rounded
// down to two digits that count; 0: none is small enough.
std::int64_t largest_batch(const HostNeed& need, const BatchSize& batch, std::int64_t bytes);

// More than a host has for its ranks, all of it taken together, and more than is free now: "2 ranks on node7 need about
// 30,112 MB, and ..."; "" where it is enough, or nobody knows. The first is a refusal, the second a warning.
std::string impossible_memory(const HostNeed& need, const HostMemory& memory);
std::string tight_memory(const HostNeed& need, const HostMemory& memory);

// The batch that would fit, as a cure: "hparam batch_size=3800, about the largest that fits (3100 in what is free
// now)"; "" if none would.
std::string smaller_batch(const HostNeed& need, const BatchSize& batch, const HostMemory& memory);

inline constexpr const char* kShorterEvaluation = "shorter sequences to evaluate, which take more than a batch";

// "; what is enough: --recompute, or at most 2 ranks on this host": after a refusal or a warning, the changes by each
// of which alone the host has enough.
std::string sufficient_cures(const HostNeed& need, const BatchSize& batch, const HostMemory& memory);

}  // namespace lockstep
