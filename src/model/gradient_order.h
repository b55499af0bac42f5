#pragma once

#include <cstdint>
#include <string>

#include "tensor/flat_range.h"
#include "tensor/parameter_table.h"

namespace lockstep {

// Checks the calls of on_gradient_ready in one backward pass as they come: each range ends where the one before began,
// from the end of the store to its start. Gradients go out to other ranks in that order, so a layer that forgets a
// call, or makes it twice, is found here, and named by its variables. The table must outlive it. One thread.
class GradientOrder {
 public:
  explicit GradientOrder(const ParameterTable& table) : table_(table), mark_(table.padded_count()) {}

  // Takes the next range. Throws Error(internal) of every rank, for the author of the layer, if it is out of order.
  void ready(FlatRange range);
  // Ends the pass. Throws the same if the gradients of the first variables were never reported as ready.
  void finish() const;

 private:
  const ParameterTable& table_;
  std::int64_t mark_;  // all from here to the end is ready
};

// The owners of the elements of a range, for a message: "layer swish_4 (variable swish_4/beta)".
std::string owners_of(const ParameterTable& table, FlatRange range);

}  // namespace lockstep
