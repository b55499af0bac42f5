#pragma once

#include <cstdint>
#include <span>

#include "data/problem.h"
#include "data/sequences/sequence_packing.h"
#include "tensor/allocator.h"
#include "tensor/batch.h"

namespace lockstep {

// Bytes of a BatchBuffer per row, and for pairs those of a row of the source as well.
std::int64_t row_bytes(const ProblemShape& shape);

// Host memory for one batch of a problem's samples, filled again for each batch. One thread at a time.
class BatchBuffer {
 public:
  // capacity: rows. With sequences, whose number of rows is not known before they are read, the memory grows as needed.
  BatchBuffer(const ProblemShape& shape, std::int64_t capacity, Allocator& allocator);

  // Reads the samples. Each row has weight 1, but padding among a sequence's targets 0. Overwrites the batch given
  // before. sample_ids may be empty. Throws what Problem::read and SequencePacking::read throw, and Error(bad_data) for
  // a label outside the classes or a symbol number outside the vocabulary.
  void fill(const Problem& problem, Split split, std::span<const std::int64_t> sample_ids);

  // A view of what fill() read, without samples at first; valid until the next fill().
  const Batch& batch() const { return batch_; }

 private:
  // Memory for `rows` rows.
  struct RowMemory {
    std::int64_t rows = 0;
    Buffer inputs;
    Buffer targets;
    Buffer weights;
    Buffer row_ids;
  };
  struct SourceMemory {
    std::int64_t rows = 0;
    Buffer inputs;
    Buffer row_ids;
  };

  void allocate(std::int64_t rows);
  void resize(std::int64_t rows);
  void resize_source(std::int64_t rows);
  void fill_sequences(const Problem& problem, Split split, std::span<const std::int64_t> sample_ids);
  SampleSlot slot_of(std::size_t row) const;
  // Labels and symbol numbers are used as indices from here on, so we check them even if a user wrote the reader.
  void check(const SampleSlot& slot, std::int64_t sample, Split split) const;

  ProblemShape shape_;
  Allocator& allocator_;
  RowMemory memory_;
  SourceMemory source_memory_;
  SequencePacking packing_;
  Batch batch_;
};

}  // namespace lockstep
