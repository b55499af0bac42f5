#pragma once

#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "data/sequences/sequence_source.h"
#include "tensor/batch.h"

namespace lockstep {

// Lays sequences one after the other into the rows of a batch. Keeps its memory from batch to batch. One thread.
class SequencePacking {
 public:
  // Reads the samples. Throws what SequenceSource::read throws, and Error(bad_data) that names the sample for a symbol
  // outside the vocabulary and for a sequence of more than kMostPositions.
  void read(const SequenceSource& source, Split split, std::span<const std::int64_t> samples);

  // Of the samples read.
  std::int64_t rows() const { return sequences_.empty() ? 0 : sequences_.back().end; }
  std::int64_t source_rows() const { return std::ssize(source_positions_); }
  std::span<const SequenceRows> sequences() const { return sequences_; }
  // Where in the inputs each row of the source stands: those that are kPadSymbol have none.
  std::span<const std::int32_t> source_positions() const { return source_positions_; }

  // Fills the tensors of a batch of that many rows, on the host. An input is what stands before its target; a target
  // that is kPadSymbol has weight 0. Of the source, padding is left out.
  void write(const Batch& batch) const;

 private:
  void add_source_positions(std::span<const std::int32_t> inputs);

  std::vector<std::int64_t> samples_;
  std::vector<SequencePair> pairs_;  // of samples_, and some from before, whose memory is used again
  std::vector<SequenceRows> sequences_;
  std::vector<std::int32_t> source_positions_;
};

}  // namespace lockstep
