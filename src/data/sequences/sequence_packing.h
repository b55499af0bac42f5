#pragma once

#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "data/problem.h"
#include "tensor/batch.h"

namespace lockstep {

// Packs sequences one after the other into the rows of a batch. Keeps its memory from batch to batch. One thread.
class SequencePacking {
 public:
  // Reads the samples of a problem with `vocabulary` symbols. Throws what Problem::read throws, and Error(bad_data)
  // that names the sample for a symbol outside the vocabulary and for a sequence of more than kMostPositions.
  void read(const Problem& problem, std::int64_t vocabulary, Split split, std::span<const std::int64_t> samples);

  // Sizes and views of the samples read.
  std::int64_t rows() const { return sequences_.empty() ? 0 : sequences_.back().end; }
  std::int64_t source_rows() const { return std::ssize(source_positions_); }
  std::span<const SequenceRows> sequences() const { return sequences_; }
  // The position in the inputs of each row of the source: inputs that are kPadSymbol have no row.
  std::span<const std::int32_t> source_positions() const { return source_positions_; }

  // Fills the tensors of a host batch of rows() rows, with a source of source_rows(). An input is the symbol before its
  // target; a target that is kPadSymbol has weight 0. Padding is left out of the source.
  void write(const Batch& batch) const;

 private:
  void add_source_positions(std::span<const std::int32_t> inputs);

  std::vector<std::int64_t> samples_;
  std::vector<SequencePair> pairs_;  // pairs of samples_, then spare ones, whose memory is reused
  std::vector<SequenceRows> sequences_;
  std::vector<std::int32_t> source_positions_;
};

}  // namespace lockstep
