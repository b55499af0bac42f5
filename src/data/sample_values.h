#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/problem.h"

namespace lockstep {

// Memory for one sample of a problem, a row or a sequence. What such samples do not have is empty.
struct SampleValues {
  std::vector<float> input{};
  std::vector<std::int32_t> ids{};
  std::vector<float> target{};
  std::int32_t label = 0;
  SequencePair pair{};

  // Reads a sample of a problem of this shape.
  void read(const Problem& problem, const ProblemShape& shape, Split split, std::int64_t sample) {
    if (shape.has_sequences()) return problem.read(split, sample, {.pair = &pair});
    const bool labeled = shape.target == ProblemShape::Target::class_label;
    const auto elements = static_cast<std::size_t>(shape.input.elements());
    input.resize(shape.input_type == DType::float32 ? elements : 0);
    ids.resize(shape.input_type == DType::int32 ? elements : 0);
    target.resize(labeled ? 0 : static_cast<std::size_t>(shape.outputs));
    problem.read(split, sample, {.input = input, .label = labeled ? &label : nullptr, .target = target, .ids = ids});
  }

  bool operator==(const SampleValues&) const = default;
};

// The label is -1 if the problem leaves it as it was.
inline SampleValues read_sample(const Problem& problem, Split split, std::int64_t sample) {
  SampleValues values{.label = -1};
  values.read(problem, problem.shape(), split, sample);
  return values;
}

}  // namespace lockstep
