#include "data/sequences/algorithmic_source.h"

#include "base/error.h"
#include "data/problems.h"
#include "data/sequences/algorithmic_rules.h"
#include "data/sequences/sequence_sides.h"

namespace lockstep {
namespace {

// Appends a number with `digits` digits. The most significant, which is the last, is not 0 unless it is the only one.
void append_number(std::int32_t digits, std::int32_t base, RandomWords& words, std::vector<std::int32_t>& symbols) {
  for (std::int32_t i = 1; i < digits; ++i) symbols.push_back(words.below(base));
  symbols.push_back(digits == 1 ? words.below(base) : 1 + words.below(base - 1));
}

// Converts symbols to vocabulary numbers, and appends the end.
void number_symbols(std::vector<std::int32_t>& symbols) {
  for (std::int32_t& symbol : symbols) symbol += kFirstSymbol;
  symbols.push_back(kEndSymbol);
}

}  // namespace

AlgorithmicSource::AlgorithmicSource(const AlgorithmicProblem& problem, std::uint64_t seed)
    : problem_(problem), seed_(seed) {
  if (problem.zipf_exponent <= 0) return;
  zipf_symbols_ = zipf_distribution(problem.symbols, problem.zipf_exponent);
  for (const Split split : kAllSplits) {
    const std::int32_t length = longest(split);
    zipf_lengths_[split] = folded_normal_distribution(length, length / 2.0, length / 10.0);
  }
}

std::int64_t AlgorithmicSource::count(Split split) const {
  return split == Split::train ? problem_.train_count : problem_.dev_count;
}

std::int32_t AlgorithmicSource::longest(Split split) const {
  return split == Split::dev ? problem_.dev_length : problem_.train_length;
}

RandomWords AlgorithmicSource::words(Split split, std::int64_t sample) const {
  LS_CHECK(sample >= 0 && sample < count(split), "no such sample");
  return RandomWords({.seed = seed_,
                      .purpose = Purpose::generated_data,
                      .stream = static_cast<std::uint16_t>(split),
                      .sample = static_cast<std::uint64_t>(sample)});
}

AlgorithmicSource::InputLengths AlgorithmicSource::draw_lengths(Split split, RandomWords& words) const {
  const std::int32_t most = longest(split);
  if (calculates()) {
    const std::int32_t first = 1 + words.below(most / 2);
    return {.first = first, .second = 1 + words.below(most - first - 1)};
  }
  const auto& zipf = zipf_lengths_[split];
  return {.first = 1 + (zipf ? zipf->draw(words.next()) : words.below(most))};
}

void AlgorithmicSource::draw_inputs(const InputLengths& lengths, RandomWords& words,
                                    std::vector<std::int32_t>& inputs) const {
  inputs.clear();
  if (calculates()) {
    append_number(lengths.first, problem_.symbols, words, inputs);
    inputs.push_back(problem_.symbols);
    append_number(lengths.second, problem_.symbols, words, inputs);
    return;
  }
  const std::int32_t symbols = problem_.rule == AlgorithmicRule::shift ? problem_.symbols / 2 : problem_.symbols;
  for (std::int32_t i = 0; i < lengths.first; ++i) {
    inputs.push_back(zipf_symbols_ ? zipf_symbols_->draw(words.next()) : words.below(symbols));
  }
}

SequenceLengths AlgorithmicSource::lengths(Split split, std::int64_t sample) const {
  if (calculates()) {
    SequencePair pair;
    read_pair(split, sample, pair);
    return {.inputs = std::ssize(pair.inputs), .targets = std::ssize(pair.targets)};
  }
  RandomWords random = words(split, sample);
  const std::int64_t length = draw_lengths(split, random).first + (problem_.raw ? 0 : 1);
  return {.inputs = length, .targets = length};
}

void AlgorithmicSource::read_pair(Split split, std::int64_t sample, SequencePair& pair) const {
  RandomWords random = words(split, sample);
  const InputLengths lengths = draw_lengths(split, random);
  pair.before = kPadSymbol;
  draw_inputs(lengths, random, pair.inputs);
  apply_rule(problem_, pair.inputs, pair.targets);
  if (problem_.raw) return;
  number_symbols(pair.inputs);
  number_symbols(pair.targets);
}

std::unique_ptr<Problem> make_algorithmic(std::string_view name, const ProblemOptions& options) {
  const SequenceName parsed = parse_sequence_name(name);
  const AlgorithmicProblem* const problem = find_algorithmic_problem(parsed.base);
  LS_CHECK(problem != nullptr, "one of kAlgorithmicProblems");
  return arrange_sides(parsed, std::make_unique<AlgorithmicSource>(*problem, options.seed));
}

}  // namespace lockstep
