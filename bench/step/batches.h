#pragma once

#include <cstdint>
#include <vector>

#include "data/device_batch.h"
#include "tensor/backend.h"
#include "tensor/batch.h"
#include "tensor/problem_shape.h"

namespace lockstep::bench {

// Batches of random inputs and labels, or of sequences of random symbols, in the backend's memory. One thread.
class Batches {
 public:
  // size: samples per batch. length: symbols per sequence, 0 for rows. rank: selects the random numbers. The backend
  // outlives the batches.
  Batches(const ProblemShape& shape, std::int64_t size, std::int64_t length, int rank, Backend& backend);

  Batch at(std::int64_t step) const;

 private:
  Batch host_batch(std::int64_t n) const;

  std::int64_t batches_;
  std::int64_t rows_;  // rows of a batch
  Shape input_;        // shape of a batch's inputs
  DType input_type_;
  std::vector<float> numbers_;
  std::vector<std::int32_t> symbols_;
  std::vector<std::int32_t> labels_;
  std::vector<float> weights_;
  std::vector<std::int64_t> ids_;
  std::vector<SequenceRows> sequences_;
  std::vector<DeviceBatch> copies_;  // copies of all batches on a GPU; else none
};

}  // namespace lockstep::bench
