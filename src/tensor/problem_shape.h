#pragma once

#include <cstdint>

#include "tensor/shape.h"

namespace lockstep {

// What a problem gives and a model must fit: all that data/ and model/ know of each other.
struct ProblemShape {
  enum class Target {
    class_label,  // int32 in [0, outputs)
    real,         // `outputs` float32 numbers
  };

  Shape input;  // of one sample, without the batch axis: (28, 28, 1)
  Target target = Target::class_label;
  std::int64_t outputs = 0;  // classes, or numbers to predict
};

}  // namespace lockstep
