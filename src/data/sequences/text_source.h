#pragma once

#include <cstdint>
#include <string>

#include "data/sequences/per_split.h"
#include "data/sequences/sequence_problem.h"
#include "data/sequences/symbol_stream.h"
#include "data/sequences/tokenizer.h"

namespace lockstep {

// Texts for a language model, which reads only what it is to write: each split is one stream of symbols, cut from its
// beginning into samples of `window` targets that do not overlap; the last one has the rest. A sample may begin and end
// anywhere, even within a line, and no symbols are added. The symbol before it is known (SequencePair::before), so that
// each symbol but the first of a split is predicted from at least one.
//
// Keeps the symbols in memory, not the texts.
class TextSource final : public SequenceProblem {
 public:
  // texts: in UTF-8 if the tokenizer's kind says so. REQUIRES: window >= 1.
  TextSource(TokenizerPointer tokenizer, std::int64_t window, PerSplit<std::string> texts,
             const std::function<void()>& each_megabyte = {});

  std::int64_t vocabulary() const override { return tokenizer_->size(); }
  bool has_inputs() const override { return false; }
  TokenizerPointer tokenizer() const override { return tokenizer_; }
  bool cut_to_length() const override { return true; }
  std::int64_t count(Split split) const override;
  SequenceLengths lengths(Split split, std::int64_t sample) const override;
  void read_pair(Split split, std::int64_t sample, SequencePair& pair) const override;

  // Number of symbols in a split.
  std::int64_t length(Split split) const { return streams_[split].size(); }
  // Number of those that are the tokenizer's unknown().
  std::int64_t unknown(Split split) const { return unknown_[split]; }

 private:
  TokenizerPointer tokenizer_;
  std::int64_t window_;
  PerSplit<SymbolStream> streams_;
  PerSplit<std::int64_t> unknown_{};
};

}  // namespace lockstep
