#pragma once

#include <span>

#include "tensor/tensor.h"
#include "tensor/update_steps.h"

namespace lockstep {

// Checks what Backend::update requires, whichever device the spans lie on: as many slots as the formula has, all as
// long as the values, and whole matrices for Adafactor. Throws Error(internal).
void check_update(const UpdateFormula& formula, const Tensor& values, const Tensor& gradients,
                  std::span<const Tensor> slots);

}  // namespace lockstep
