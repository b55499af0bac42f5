#pragma once

#include "model/layer.h"
#include "model/working_memory.h"

namespace lockstep {

// The state that the layers of a model share to keep less: memory, and whether they do.
struct Recomputation {
  WorkingMemory memory{};
  bool on = false;
};

// Wraps `inside`. If the recomputation is on, its results live only from its forward pass's beginning to its end: of a
// pass there remain the input and the output, and the backward pass computes the rest again. As all random numbers are
// functions of a pass's seed and step, the bits are the same (Chen et al. 2016, "Training deep nets with sublinear
// memory cost"). The recomputation must outlive the layer.
LayerPointer make_recomputed(LayerPointer inside, Recomputation& recomputation);

}  // namespace lockstep
