#pragma once

#include <cstdint>
#include <span>

#include "data/problem.h"
#include "tensor/allocator.h"
#include "tensor/batch.h"

namespace lockstep {

// Host memory for one batch of up to `capacity` samples of a problem, filled again and again.
// One thread at a time.
class BatchBuffer {
 public:
  BatchBuffer(const ProblemShape& shape, std::int64_t capacity, Allocator& allocator);

  // Reads the samples, each with weight 1. Overwrites the batch given before. sample_ids may be empty.
  // Throws what Problem::read throws, and Error(bad_data) for a label outside the classes or a number of a symbol
  // outside the vocabulary.
  void fill(const Problem& problem, Split split, std::span<const std::int64_t> sample_ids);

  // A view of what fill() read, at first of no samples; valid until the next fill().
  const Batch& batch() const { return batch_; }

 private:
  void resize(std::int64_t size);
  SampleSlot slot_of(std::size_t row) const;
  // Past here labels and numbers of symbols are places in memory, whoever wrote the reader.
  void check(const SampleSlot& slot, std::int64_t sample, Split split) const;

  ProblemShape shape_;
  std::int64_t capacity_;
  Buffer inputs_;
  Buffer targets_;
  Buffer weights_;
  Buffer sample_ids_;
  Batch batch_;
};

}  // namespace lockstep
