#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "data/problem.h"

namespace lockstep {

// The base of problems whose samples are sequences of symbols: pairs if they have inputs, else single sequences. A
// model predicts each target, one of the vocabulary's symbols.
class SequenceProblem : public Problem {
 public:
  // Number of different symbols.
  virtual std::int64_t vocabulary() const = 0;
  virtual bool has_inputs() const = 0;
  SequenceLengths lengths(Split split, std::int64_t sample) const override = 0;
  // Reads a sample, as Problem::read() does; overwrites `pair`.
  virtual void read_pair(Split split, std::int64_t sample, SequencePair& pair) const = 0;

  // tokenizer() says what symbols mean.
  ProblemShape shape() const override {
    const TokenizerPointer meaning = tokenizer();
    return {.sample = has_inputs() ? ProblemShape::Sample::pair : ProblemShape::Sample::sequence,
            .input = {},
            .target = ProblemShape::Target::class_label,
            .outputs = vocabulary(),
            .input_type = DType::int32,
            .vocabulary = vocabulary(),
            .characters = meaning != nullptr && meaning->characters(),
            .vocabulary_digest = meaning == nullptr ? "" : meaning->digest()};
  }
  void read(Split split, std::int64_t sample, const SampleSlot& slot) const final {
    LS_CHECK(slot.pair != nullptr, "a sequence is more than one row");
    read_pair(split, sample, *slot.pair);
  }
  std::vector<std::string> remarks() const override { return remarks_; }
  std::vector<std::string> notes() const override { return notes_; }

  // Adds a line. To be called while the problem is made.
  void add_remark(std::string remark) { remarks_.push_back(std::move(remark)); }
  void add_note(std::string note) { notes_.push_back(std::move(note)); }

 private:
  std::vector<std::string> remarks_;
  std::vector<std::string> notes_;
};

}  // namespace lockstep
