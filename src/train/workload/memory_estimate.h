#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/host_memory.h"
#include "model/model.h"
#include "tensor/dtype.h"

namespace lockstep {

// Inputs of the memory estimate.
struct MemoryFacts {
  std::int64_t present = 0;          // bytes in use before the run takes more: the program and its data
  std::int64_t values = 0;           // number of the model's values, kept in float32
  std::int64_t slots = 0;            // number of optimizer slots, each as large as the values
  std::int64_t values_owners = 1;    // ranks that share one copy of the values
  std::int64_t slots_owners = 1;     // ranks that divide the slots among them
  DType products = DType::float32;   // type of matrix products; if not float32, they read a copy of the values
  bool averaged = false;             // a moving average of the values is kept
  std::int64_t gradient_copies = 0;  // bytes: partial sums of gradients, and gradients in the type they travel in
  bool saves = false;                // this rank writes the checkpoints
  std::int64_t batches = 0;          // bytes of batches that are read ahead, and of an evaluation's chunk
  std::optional<PassBytes> passes{};
  bool passes_evaluate = false;  // passes are those of an evaluation of sequences that takes more than training
};

// Memory of a rank that trains, in bytes, by use. A plain value.
struct MemoryEstimate {
  std::int64_t present = 0;
  std::int64_t parameters = 0;
  std::int64_t gradients = 0;
  std::int64_t optimizer = 0;  // the optimizer's state
  std::int64_t copies = 0;     // copies for matrix products; the moving average with its copy
  std::int64_t gradient_copies = 0;
  std::int64_t saving = 0;  // a copy of the state, and the checkpoint file that is made of it in memory
  std::int64_t batches = 0;
  std::optional<PassBytes> passes{};
  bool passes_evaluate = false;

  std::int64_t of_batch() const { return batches + (passes ? passes->total() : 0); }
  std::int64_t total() const;
  // The totals with --recompute, and with the optimizer's state divided among `ranks`.
  std::int64_t recomputed() const;
  std::int64_t divided(int ranks) const { return total() - optimizer + optimizer / ranks; }
};

// Computes the estimate from facts known before the first step.
MemoryEstimate estimate_memory(const MemoryFacts& facts);

// The estimate as text: "772 MB: program and data 98 MB, parameters 193 MB, ..."
std::string describe(const MemoryEstimate& estimate);
// The same as a table, one part per line.
std::string memory_table(const MemoryEstimate& estimate);

// The memory need of all ranks of a host together.
struct HostNeed {
  std::string host{};
  int ranks = 0;
  std::int64_t present = 0;
  std::int64_t total = 0;
  std::int64_t of_batch = 0;    // part of the total that shrinks with the batch
  std::int64_t recomputed = 0;  // the total with --recompute
  std::int64_t divided = 0;     // the total with --shard_optimizer, if it helps
};

// Rows of a rank's passes, and the setting of the batch size.
struct BatchSize {
  std::string_view setting = "hparam batch_size";
  std::int64_t rows = 1;        // rows of a rank's largest pass
  std::int64_t of_step = 1;     // rows that shorter sequences to evaluate can bring `rows` down to; else as `rows`
  std::int64_t least_rows = 1;  // least rows of a batch: those of the longest sample, or of an evaluation if more
  std::int64_t step = 1;        // change of the setting for one more row
};

// The approximate largest batch with which the host needs at most `bytes` bytes, in terms of the setting and rounded
// down to two significant digits; 0: none is small enough.
std::int64_t largest_batch(const HostNeed& need, const BatchSize& batch, std::int64_t bytes);

// The refusal if the ranks need more than the host has, and the warning if they need more, besides what they hold, than
// is free: "2 ranks on node7 need about 30,112 MB of memory, and ..."; "" if neither, or the host's memory is unknown.
std::string impossible_memory(const HostNeed& need, const HostMemory& memory);
std::string tight_memory(const HostNeed& need, const HostMemory& memory);

// The batch that would fit, as a cure: "hparam batch_size=3800, about the largest that fits (3100 in what is free
// now)"; "" if none would.
std::string smaller_batch(const HostNeed& need, const BatchSize& batch, const HostMemory& memory);

inline constexpr const char* kShorterEvaluation = "shorter sequences to evaluate, which take more than a batch";

// Returns "; what is enough: --recompute, or at most 2 ranks on this host", which follows a refusal or a warning: each
// of these changes alone is enough.
std::string sufficient_cures(const HostNeed& need, const BatchSize& batch, const HostMemory& memory);

}  // namespace lockstep
