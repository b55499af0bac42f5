#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "data/problem.h"

namespace lockstep {

// A problem that gives what another one gives, which it owns: the base of those that change a part of it.
class ForwardingProblem : public Problem {
 public:
  // REQUIRES: a problem.
  explicit ForwardingProblem(std::unique_ptr<const Problem> inner) : inner_(std::move(inner)) {}

  ProblemShape shape() const override { return inner_->shape(); }
  std::int64_t count(Split split) const override { return inner_->count(split); }
  void read(Split split, std::int64_t sample, const SampleSlot& slot) const override {
    inner_->read(split, sample, slot);
  }
  SequenceLengths lengths(Split split, std::int64_t sample) const override { return inner_->lengths(split, sample); }
  bool cut_to_length() const override { return inner_->cut_to_length(); }
  TokenizerPointer tokenizer() const override { return inner_->tokenizer(); }
  std::vector<std::string> remarks() const override { return inner_->remarks(); }
  std::vector<std::string> notes() const override { return inner_->notes(); }
  BlockLayout layout() const override { return inner_->layout(); }
  void expect_block(std::int64_t block) const override { inner_->expect_block(block); }

 protected:
  const Problem& inner() const { return *inner_; }

 private:
  std::unique_ptr<const Problem> inner_;
};

}  // namespace lockstep
