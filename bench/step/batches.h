#pragma once

#include <cstdint>
#include <vector>

#include "tensor/batch.h"
#include "tensor/problem_shape.h"

namespace lockstep::bench {

// Batches of random inputs and labels, or of sequences of random symbols, that lie in memory. One thread.
class Batches {
 public:
  // size: samples of a batch. length: of each sequence, 0 for rows. rank: whose random numbers.
  Batches(const ProblemShape& shape, std::int64_t size, std::int64_t length, int rank);

  Batch at(std::int64_t step) const;

 private:
  // As many as the peers' scripts have of rows; they have one of sequences.
  static constexpr std::int64_t kBatches = 64;

  std::int64_t batches_;
  std::int64_t rows_;  // of a batch
  Shape input_;        // of a batch
  DType input_type_;
  std::vector<float> numbers_;
  std::vector<std::int32_t> symbols_;
  std::vector<std::int32_t> labels_;
  std::vector<float> weights_;
  std::vector<std::int64_t> ids_;
  std::vector<SequenceRows> sequences_;
};

}  // namespace lockstep::bench
