#pragma once

#include <cstdint>
#include <span>

#include "model/loss.h"

namespace lockstep {

// Predictions from outputs for classes, on the host. values (B, classes) become the probabilities; classes (B) are the
// most probable ones by the outputs themselves, as for accuracy: probabilities near 1 round to equal values. losses
// (B): each row's loss for the label in targets (B), which may lie on a device; may be empty.
void predict_classes(const Loss& loss, Backend& backend, const Tensor& targets, std::span<float> values,
                     std::span<std::int32_t> classes, std::span<double> losses);

}  // namespace lockstep
