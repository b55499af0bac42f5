#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/sequences/sequence_files.h"
#include "data/sequences/symbol_stream.h"

namespace lockstep {

// The symbols that stored sequences may have: [0, size).
struct SymbolRange {
  std::int64_t size = 0;
  std::string reason{};  // origin of the size, and the cure for a symbol outside, for a message: "which ...; give ..."
};

// Reads the symbols, and returns the largest. The sequences are not checked. Throws Error(bad_data) that names the
// array unless it is one-dimensional and of integers.
std::int64_t largest_symbol(const SequenceArrays& arrays);

// Sequences of an array in memory, by number; two or four bytes a symbol. Any threads may call.
class StoredSequences {
 public:
  StoredSequences() = default;  // none
  // Reads them all. Throws Error(bad_data) that names array and sample if symbols or lengths are not a one-dimensional
  // array of integers, a sequence is empty or has more than kMostPositions, the lengths do not add up to the symbols,
  // or a symbol is outside the range.
  StoredSequences(const SequenceArrays& arrays, const SymbolRange& range);

  std::int64_t count() const { return std::ssize(begins_) - 1; }
  std::int64_t symbols() const { return begins_.back(); }
  std::int64_t paddings() const { return paddings_; }  // number of symbols that are kPadSymbol
  // REQUIRES: 0 <= sample < count().
  std::int64_t length(std::int64_t sample) const;
  void read(std::int64_t sample, std::vector<std::int32_t>& into) const;

 private:
  std::vector<std::int64_t> begins_{0};  // begin of each sequence in symbols_, and the end of the last
  SymbolStream symbols_;
  std::int64_t paddings_ = 0;
};

}  // namespace lockstep
