#pragma once

#include "model/layer.h"
#include "model/working_memory.h"

namespace lockstep {

// What the layers of a model share to keep less: memory, and whether they do.
struct Recomputation {
  WorkingMemory memory{};
  bool on = false;
};

// `inside`, and where the recomputation is on, its results are kept only from its forward pass's beginning to its end:
// of a pass there remain what went in and what came out, and the backward pass computes the rest again. As all random
// numbers are functions of a pass's seed and step, that is the same bits (Chen et al. 2016, "Training deep nets with
// sublinear memory cost"). The recomputation outlives the layer.
LayerPointer make_recomputed(LayerPointer inside, Recomputation& recomputation);

}  // namespace lockstep
