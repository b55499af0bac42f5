#pragma once

#include <cstdint>
#include <vector>

#include "tensor/batch.h"
#include "tensor/problem_shape.h"

namespace lockstep {

inline ProblemShape sequence_shape(ProblemShape::Sample sample, std::int64_t vocabulary) {
  ProblemShape shape;
  shape.sample = sample;
  shape.outputs = shape.vocabulary = vocabulary;
  shape.input_type = DType::int32;
  return shape;
}

// Sequences of these lengths with their memory, with sources of these lengths (0: a language model's). Symbols follow
// from the sample's number and the place; the first row's input is the padding symbol, some rows have weight 0.
class SequenceBatch {
 public:
  struct Lengths {
    std::int64_t sample = 0;
    std::int64_t rows = 0;
    std::int64_t source_rows = 0;
  };

  SequenceBatch(const std::vector<Lengths>& all, std::int64_t vocabulary) {
    for (const Lengths& lengths : all) add(lengths, vocabulary);
    const auto rows = static_cast<std::int64_t>(inputs.size());
    const auto source_rows = static_cast<std::int64_t>(source.size());
    batch = {.inputs = Tensor(inputs.data(), DType::int32, {rows}),
             .targets = Tensor(targets.data(), DType::int32, {rows}),
             .weights = Tensor(weights.data(), DType::float32, {rows}),
             .row_ids = Tensor(ids.data(), DType::int64, {rows}),
             .sequences = sequences,
             .source = Tensor(source.data(), DType::int32, {source_rows}),
             .source_ids = Tensor(source_ids.data(), DType::int64, {source_rows})};
  }
  SequenceBatch(const SequenceBatch&) = delete;
  SequenceBatch& operator=(const SequenceBatch&) = delete;

  std::vector<std::int32_t> inputs, targets, source;
  std::vector<float> weights;
  std::vector<std::int64_t> ids, source_ids;
  std::vector<SequenceRows> sequences;
  Batch batch;

 private:
  static std::int32_t symbol(std::int64_t sample, std::int64_t place, std::int64_t vocabulary) {
    return static_cast<std::int32_t>(1 + (5 * sample + 3 * place + place * place) % (vocabulary - 1));
  }

  void add(const Lengths& lengths, std::int64_t vocabulary) {
    SequenceRows rows{.begin = std::ssize(inputs), .source_begin = std::ssize(source)};
    for (std::int64_t i = 0; i < lengths.rows; ++i) {
      inputs.push_back(i == 0 ? 0 : targets.back());
      targets.push_back(symbol(lengths.sample, i, vocabulary));
      weights.push_back(i % 4 == 2 ? 0 : 0.5F + static_cast<float>(i % 2));
      ids.push_back(lengths.sample * kMostPositions + i);
    }
    for (std::int64_t i = 0; i < lengths.source_rows; ++i) {
      source.push_back(symbol(lengths.sample + 1, i, vocabulary));
      source_ids.push_back(lengths.sample * kMostPositions + i);
    }
    rows.end = std::ssize(inputs);
    rows.source_end = std::ssize(source);
    sequences.push_back(rows);
  }
};

}  // namespace lockstep
