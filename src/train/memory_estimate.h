#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/host_memory.h"
#include "model/model.h"
#include "tensor/dtype.h"

namespace lockstep {

// What a run's memory follows from.
struct MemoryFacts {
  std::int64_t values = 0;          // of the model, in float32
  std::int64_t slots = 0;           // of the optimizer, each as large
  std::int64_t values_owners = 1;   // ranks that have one copy of the values together
  std::int64_t slots_owners = 1;    // ranks that have the slots together, a part each
  DType products = DType::float32;  // another type: products take copies of the values in it
  bool averaged = false;            // a moving average of the values is kept
  std::optional<PassBytes> passes{};
  bool passes_evaluate = false;  // these are an evaluation's, which takes more than training
};

// The memory of a rank that trains, in bytes, as arithmetic over what is known before the first step. The program
// itself, data and what libraries take come on top. A plain value.
struct MemoryEstimate {
  std::int64_t parameters = 0;
  std::int64_t gradients = 0;
  std::int64_t optimizer = 0;  // its state
  std::int64_t copies = 0;     // of the parameters: for products, and the moving average
  std::optional<PassBytes> passes{};
  bool passes_evaluate = false;

  // What no smaller batch makes smaller.
  std::int64_t state() const { return parameters + gradients + optimizer; }
  std::int64_t total() const;
};

MemoryEstimate estimate_memory(const MemoryFacts& facts);

// "772 MB of memory: parameters 193 MB, ..."
std::string describe(const MemoryEstimate& estimate);

// What the rank's host has for so many ranks like this one is less than they need, and by how much; "" if it is enough,
// or nobody knows. Of what is free now: a warning. Of all there is, even without a batch: no run can be.
std::string tight_memory(const MemoryEstimate& estimate, int ranks_on_host, const HostMemory& memory);
std::string impossible_memory(const MemoryEstimate& estimate, int ranks_on_host, const HostMemory& memory);

}  // namespace lockstep
