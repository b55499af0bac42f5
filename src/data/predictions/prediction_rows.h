#pragma once

#include <cstdint>
#include <span>

#include "tensor/problem_shape.h"

namespace lockstep {

// Form of the predictions for the samples of a split.
struct PredictionForm {
  ProblemShape::Target target = ProblemShape::Target::class_label;
  std::int64_t samples = 0;
  std::int64_t outputs = 0;  // classes, or numbers per sample
  bool sequences = false;    // samples are sequences of symbols, each of which is predicted as a class
  std::int64_t symbols = 0;  // targets of all samples together
  std::int64_t top = 0;      // number of most probable classes that each row has, in columns of their own; 0: none
  bool texts = false;        // symbols stand for texts (data/sequences/symbol_texts.h)

  bool classes() const { return target == ProblemShape::Target::class_label; }
  // Number of predictions: one per symbol of sequences, else one per sample.
  std::int64_t rows() const { return sequences ? symbols : samples; }
  // Number of values per row: for sequences one, the probability of the predicted class, to keep the files small.
  std::int64_t values_of_row() const { return sequences ? 1 : outputs; }
};

// The predictions of B consecutive rows: B samples, or (for sequences) all B symbols of consecutive samples. A view.
struct PredictionRows {
  std::int64_t first = 0;                 // the number of the first sample
  std::span<const std::int32_t> classes;  // (B); empty if numbers are predicted
  std::span<const float> values;          // (B, outputs): the classes' probabilities, or the numbers

  // Empty unless the form has sequences. With sequences, values is (B): the probability of the predicted class.
  std::span<const std::int32_t> targets{};  // (B)
  std::span<const float> losses{};          // (B) -log of the target's probability; 0 for a target that is padding
  std::span<const std::int32_t> lengths{};  // (sequences) which add up to B

  // Each row's most probable classes, the predicted one first, and their probabilities. Empty if the form lacks them.
  std::span<const std::int32_t> top{};         // (B, top)
  std::span<const float> top_probabilities{};  // (B, top)
};

}  // namespace lockstep
