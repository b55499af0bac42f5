#pragma once

#include <span>

#include "model/layer_memory.h"
#include "tensor/batch.h"

namespace lockstep {

// Counts of a batch: sequences with a row that counts (weight above 0), and those of them whose counting rows are all
// right.
struct SequenceCounts {
  double sequences = 0;
  double correct_sequences = 0;
};

// logits (B, outputs), targets (B) int32 and weights (B) float32, on the host. A row is right if its first largest
// logit is the target's; one with a NaN never is.
SequenceCounts count_sequences(const Tensor& logits, const Tensor& targets, const Tensor& weights,
                               std::span<const SequenceRows> sequences);

// The same for tensors on a device, by operations of its backend; the host waits for them. memory: for their results.
SequenceCounts count_sequences_on(Backend& backend, LayerMemory& memory, const Tensor& logits, const Tensor& targets,
                                  const Tensor& weights, std::span<const SequenceRows> sequences);

}  // namespace lockstep
