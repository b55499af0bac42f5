#pragma once

#include <span>
#include <vector>

#include "optim/optimizer.h"
#include "tensor/flat_range.h"
#include "tensor/parameter_table.h"

namespace lockstep {

// A span that one call of Optimizer::apply updates.
struct UpdateSpan {
  FlatRange range;
  Optimizer::Decay decay = Optimizer::Decay::decayed;
  Shape shape{};  // the variable's shape, unless the optimizer is sliceable
};

// Cuts a table into the spans of an update, in its order: for a sliceable optimizer, runs of neighbouring trainable
// variables with equal weight decay (with the padding between them); for others, one whole variable each. Constants are
// in none. Pure arithmetic.
std::vector<UpdateSpan> plan_updates(const ParameterTable& table, bool sliceable);

// The parts of those spans that lie in the owned ranges, range after range. REQUIRES: unless sliceable, the ranges cut
// no variable.
std::vector<UpdateSpan> plan_updates(const ParameterTable& table, bool sliceable, std::span<const FlatRange> owned);

}  // namespace lockstep
