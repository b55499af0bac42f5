#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace lockstep {

// Symbol numbers that mean the same in every vocabulary, as in tensor2tensor (data_generators/text_encoder.py).
inline constexpr std::int32_t kPadSymbol = 0;  // no symbol; stands before the first one of a sequence
inline constexpr std::int32_t kEndSymbol = 1;  // the last one of a sequence
inline constexpr std::int32_t kFirstSymbol = 2;

// A sample of a problem of sequences: the symbols that a model reads, and those that it is to write. Numbers in [0,
// vocabulary).
struct SequencePair {
  std::vector<std::int32_t> inputs;  // empty for a language model
  std::vector<std::int32_t> targets;
  std::int32_t before = kPadSymbol;  // the symbol before the first target; kPadSymbol: the sample is a beginning
  bool operator==(const SequencePair&) const = default;
};

// The lengths of a sample in symbols. One that is a row has a target of one.
struct SequenceLengths {
  std::int64_t inputs = 0;
  std::int64_t targets = 0;

  std::int64_t longest() const { return std::max(inputs, targets); }
  bool operator==(const SequenceLengths&) const = default;
};

}  // namespace lockstep
