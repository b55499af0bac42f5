#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "data/problem.h"

namespace lockstep {

// Symbol numbers that mean the same in every vocabulary, as in tensor2tensor (data_generators/text_encoder.py).
inline constexpr std::int32_t kPadSymbol = 0;  // no symbol; stands before the first one of a sequence
inline constexpr std::int32_t kEndSymbol = 1;  // the last one of a sequence
inline constexpr std::int32_t kFirstSymbol = 2;

// A sample: the symbols that a model reads, and those that it is to write. Numbers in [0, vocabulary).
struct SequencePair {
  std::vector<std::int32_t> inputs;  // empty for a language model
  std::vector<std::int32_t> targets;
  std::int32_t before = kPadSymbol;  // the symbol before the first target; kPadSymbol: the sample is a beginning
};

struct SequenceLengths {
  std::int64_t inputs = 0;
  std::int64_t targets = 0;

  std::int64_t longest() const { return std::max(inputs, targets); }
  bool operator==(const SequenceLengths&) const = default;
};

// Samples that are sequences of symbols, by number. Made once per rank, then only read: any threads at once.
class SequenceSource {
 public:
  SequenceSource() = default;
  SequenceSource(const SequenceSource&) = delete;
  SequenceSource& operator=(const SequenceSource&) = delete;
  virtual ~SequenceSource() = default;

  virtual std::int64_t vocabulary() const = 0;
  virtual bool has_inputs() const = 0;
  // Returns whether samples are cut to hparam max_length, so that another max_length gives other samples.
  virtual bool cut_to_length() const { return false; }
  // Number of samples in a split, 0 if there is no such split.
  virtual std::int64_t count(Split split) const = 0;
  // Lengths of a sample, from which batches are planned; without reading the sample if that is cheaper. REQUIRES: 0 <=
  // sample < count(split).
  virtual SequenceLengths lengths(Split split, std::int64_t sample) const = 0;
  // A pure function of the sample's number; overwrites `pair`. Throws Error(bad_data) that names file and line.
  virtual void read(Split split, std::int64_t sample, SequencePair& pair) const = 0;
};

}  // namespace lockstep
