#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "data/sequences/algorithmic_problems.h"
#include "data/sequences/discrete_distribution.h"
#include "data/sequences/per_split.h"
#include "data/sequences/random_words.h"
#include "data/sequences/sequence_problem.h"

namespace lockstep {

// The samples of one of tensor2tensor's algorithmic problems. Needs no files and keeps no samples: each is computed
// from (seed, split, number) when it is read, in integers, so that it is the same on every machine. T2T's own samples
// depend on numpy's generator: these follow the same distribution, but are different samples.
//
// train and dev are as in T2T; dev has sequences up to ten times longer. test, which T2T does not have, has training
// lengths and as many samples as dev: it measures how well a model does what it learned, and dev how far that
// generalises. test uses other random numbers than train, but there are few short sequences, so train and test share
// them.
//
// Numbers: symbol + kFirstSymbol, and kEndSymbol ends inputs and targets (but see AlgorithmicProblem::raw). Lengths are
// uniform in [1, L], L the split's longest; of two numbers the first has [1, L / 2] digits, the second from 1 to as
// many as make L symbols with the separator; with Zipf's law they are floor(|x|) + 1, x normal with mean L / 2 and
// deviation L / 10, and at most L.
//
// Two faults of T2T are fixed, in both of which a number is not below the size of the vocabulary: the separator of two
// numbers, which is base + kFirstSymbol as in T2T, is counted in the vocabulary, which is 1 larger; and Zipf's symbols
// begin with 0, not 1.
class AlgorithmicSource final : public SequenceProblem {
 public:
  AlgorithmicSource(const AlgorithmicProblem& problem, std::uint64_t seed);

  std::int64_t vocabulary() const override { return problem_.symbols_used() + kFirstSymbol; }
  bool has_inputs() const override { return true; }
  std::int64_t count(Split split) const override;
  // Does not make the sample, except for sums and products, which have the length of their result (up to about 30 us).
  SequenceLengths lengths(Split split, std::int64_t sample) const override;
  void read_pair(Split split, std::int64_t sample, SequencePair& pair) const override;

 private:
  // Number of symbols in the inputs; one for each of two numbers.
  struct InputLengths {
    std::int32_t first = 0;
    std::int32_t second = 0;  // 0: the inputs are one sequence
  };

  bool calculates() const { return problem_.symbols_used() > problem_.symbols; }
  std::int32_t longest(Split split) const;
  // A sample's random numbers: first those of its lengths, then one for each symbol.
  RandomWords words(Split split, std::int64_t sample) const;
  InputLengths draw_lengths(Split split, RandomWords& words) const;
  void draw_inputs(const InputLengths& lengths, RandomWords& words, std::vector<std::int32_t>& inputs) const;

  AlgorithmicProblem problem_;
  std::uint64_t seed_;
  std::optional<DiscreteDistribution> zipf_symbols_;
  PerSplit<std::optional<DiscreteDistribution>> zipf_lengths_;  // distributions of length - 1
};

}  // namespace lockstep
