#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "data/sequences/sequence_problem.h"

namespace lockstep {

// A problem of given pairs in its training split, the first `dev` of them in dev as well; those without inputs are
// single sequences.
class GivenPairs final : public SequenceProblem {
 public:
  explicit GivenPairs(std::vector<SequencePair> pairs, bool has_inputs = true, std::int64_t dev = 0)
      : pairs_(std::move(pairs)), has_inputs_(has_inputs), dev_(dev) {}

  std::int64_t vocabulary() const override { return 10; }
  bool has_inputs() const override { return has_inputs_; }
  std::int64_t count(Split split) const override {
    return split == Split::train ? std::ssize(pairs_) : split == Split::dev ? dev_ : 0;
  }
  SequenceLengths lengths(Split /*split*/, std::int64_t sample) const override {
    const SequencePair& pair = pairs_.at(static_cast<std::size_t>(sample));
    return {.inputs = std::ssize(pair.inputs), .targets = std::ssize(pair.targets)};
  }
  void read_pair(Split /*split*/, std::int64_t sample, SequencePair& pair) const override {
    pair = pairs_.at(static_cast<std::size_t>(sample));
  }

 private:
  std::vector<SequencePair> pairs_;
  bool has_inputs_;
  std::int64_t dev_;
};

// A sample of a problem of sequences, read over what stood there.
inline SequencePair pair_of(const Problem& problem, Split split, std::int64_t sample) {
  SequencePair pair{.inputs = {9}, .targets = {9, 9}, .before = 9};
  problem.read(split, sample, {.pair = &pair});
  return pair;
}

}  // namespace lockstep
