#pragma once

#include <cstdint>
#include <span>

#include "tensor/problem_shape.h"

namespace lockstep {

// What is predicted for the samples of a split.
struct PredictionForm {
  ProblemShape::Target target = ProblemShape::Target::class_label;
  std::int64_t samples = 0;
  std::int64_t outputs = 0;  // classes, or numbers of a sample

  bool classes() const { return target == ProblemShape::Target::class_label; }
};

// The predictions of neighbouring samples. A view.
struct PredictionRows {
  std::int64_t first = 0;                 // the number of the first sample
  std::span<const std::int32_t> classes;  // (B); empty where numbers are predicted
  std::span<const float> values;          // (B, outputs): the classes' probabilities, or the numbers
};

}  // namespace lockstep
