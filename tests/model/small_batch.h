#pragma once

#include <cmath>
#include <vector>

#include "tensor/batch.h"
#include "tensor/problem_shape.h"

namespace lockstep {

// A batch for a problem, with its memory: float64 inputs (or int32, depending on the problem), unequal weights, some 0.
struct SmallBatch {
  SmallBatch(std::int64_t samples, const ProblemShape& shape)
      : inputs(static_cast<std::size_t>(samples * shape.input.elements())),
        symbols(inputs.size()),
        labels(static_cast<std::size_t>(samples)),
        targets(static_cast<std::size_t>(samples * shape.outputs)),
        weights(static_cast<std::size_t>(samples)),
        ids(static_cast<std::size_t>(samples)) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      inputs[i] = std::sin(static_cast<double>(3 * i + 1));
      if (shape.vocabulary > 0)
        symbols[i] = static_cast<std::int32_t>(7 * i % static_cast<std::size_t>(shape.vocabulary));
    }
    for (std::size_t i = 0; i < targets.size(); ++i) targets[i] = 0.5F + std::cos(static_cast<float>(i)) / 2;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      labels[i] = static_cast<std::int32_t>(i) % static_cast<std::int32_t>(shape.outputs);
      weights[i] = i % 3 == 2 ? 0 : 0.5F + static_cast<float>(i % 2);
      ids[i] = static_cast<std::int64_t>(100 - i);
    }
    const Shape input = shape.input.with_front(samples);
    batch.inputs = shape.input_type == DType::int32 ? Tensor(symbols.data(), DType::int32, input)
                                                    : Tensor(inputs.data(), DType::float64, input);
    batch.targets = shape.target == ProblemShape::Target::real
                        ? Tensor(targets.data(), DType::float32, {samples, shape.outputs})
                        : Tensor(labels.data(), DType::int32, {samples});
    batch.weights = Tensor(weights.data(), DType::float32, {samples});
    batch.row_ids = Tensor(ids.data(), DType::int64, {samples});
  }

  std::vector<double> inputs;
  std::vector<std::int32_t> symbols;
  std::vector<std::int32_t> labels;
  std::vector<float> targets;  // in [0, 1]
  std::vector<float> weights;
  std::vector<std::int64_t> ids;
  Batch batch;
};

}  // namespace lockstep
