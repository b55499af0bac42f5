#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace lockstep {

// The properties of a problem that a model must fit: all that data/ and model/ know of each other. A plain value.
struct ProblemShape {
  enum class Target {
    class_label,  // int32 in [0, outputs)
    real,         // `outputs` float32 numbers
  };
  enum class Sample {
    row,       // one row of a batch (tensor/batch.h)
    sequence,  // a sequence of symbols, a row each
    pair,      // a sequence, and the one it is made from: its source
  };

  Sample sample = Sample::row;
  Shape input{};  // shape of one row, without the batch axis: (28, 28, 1); () for a symbol
  Target target = Target::class_label;
  std::int64_t outputs = 0;  // classes, or numbers to predict

  DType input_type = DType::float32;  // float32, or int32: ids of symbols in [0, vocabulary), for an embedding
  std::int64_t vocabulary = 0;
  // True if the symbols are characters or bytes of a text, which is then measured in bits for each of them.
  bool characters = false;
  // Digest of what the symbols mean in a text (data/sequences/tokenizer.h); "" if they stand for no text.
  std::string vocabulary_digest{};

  // True if a model first brings the inputs to mean 0 and standard deviation 1; float32 with at least one axis then. It
  // uses the mean and standard deviation of the training split's inputs, a value for each channel (the last axis),
  // which it stores as constants. Both are empty here if they come from a checkpoint.
  bool normalised = false;
  std::vector<double> input_mean{};
  std::vector<double> input_stddev{};

  bool has_sequences() const { return sample != Sample::row; }
  bool operator==(const ProblemShape&) const = default;
};

}  // namespace lockstep
