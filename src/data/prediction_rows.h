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
  bool sequences = false;    // samples are sequences of symbols, each of which is predicted as a class
  std::int64_t symbols = 0;  // of all sequences
  std::int64_t top = 0;      // the most probable classes that each row has beside the prediction's columns; 0: none
  bool texts = false;        // symbols stand for texts (data/sequences/symbol_texts.h)

  bool classes() const { return target == ProblemShape::Target::class_label; }
  // What one prediction is made for: a sample, or a symbol.
  std::int64_t rows() const { return sequences ? symbols : samples; }
  // Of a symbol its probability alone: those of a whole vocabulary would be most of what a disk holds.
  std::int64_t values_of_row() const { return sequences ? 1 : outputs; }
};

// The predictions of neighbouring samples. A view.
struct PredictionRows {
  std::int64_t first = 0;                 // the number of the first sample
  std::span<const std::int32_t> classes;  // (B); empty where numbers are predicted
  std::span<const float> values;          // (B, outputs): the classes' probabilities, or the numbers

  // Of sequences, else empty; values are (B) then, the probability of the class that is predicted.
  std::span<const std::int32_t> targets{};  // (B)
  std::span<const float> losses{};          // (B) -log of the target's probability; 0 of a target that is padding
  std::span<const std::int32_t> lengths{};  // (sequences) which add up to B

  // Empty where the form lacks them. Each row's most probable classes, the predicted one first, and their
  // probabilities.
  std::span<const std::int32_t> top{};         // (B, top)
  std::span<const float> top_probabilities{};  // (B, top)
};

}  // namespace lockstep
