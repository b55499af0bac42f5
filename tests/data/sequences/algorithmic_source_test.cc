#include "data/sequences/algorithmic_source.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "data/sequences/given_pairs.h"
#include "support/check_error.h"

namespace lockstep {
namespace {

constexpr std::int64_t kSamples = 3000;  // samples that a test reads of each split

std::int64_t looked_at(const AlgorithmicSource& source, Split split) { return std::min(kSamples, source.count(split)); }

bool equal(const SequencePair& a, const SequencePair& b) { return a.inputs == b.inputs && a.targets == b.targets; }

bool is_calculation(const AlgorithmicProblem& problem) {
  return problem.rule == AlgorithmicRule::add || problem.rule == AlgorithmicRule::multiply;
}

std::int64_t longest_inputs(const AlgorithmicProblem& problem, Split split) {
  return (split == Split::dev ? problem.dev_length : problem.train_length) + (problem.raw ? 0 : 1);
}

// Longest targets in symbols: a sum may have one digit more than the longer number, a product as many as both together.
std::int64_t longest_targets(const AlgorithmicProblem& problem, Split split) {
  return longest_inputs(problem, split) - (is_calculation(problem) ? 1 : 0);
}

// Returns whether all ids of a side are symbols, with the end symbol last and nowhere else.
bool well_formed(const AlgorithmicProblem& problem, std::int64_t vocabulary, const std::vector<std::int32_t>& side) {
  if (side.empty() || std::ranges::any_of(side, [&](auto id) { return id < 0 || id >= vocabulary; })) return false;
  if (problem.raw) return true;
  return side.back() == kEndSymbol && std::all_of(side.begin(), side.end() - 1, [](auto id) { return id >= 2; });
}

}  // namespace

TEST_CASE("the sizes are tensor2tensor's, and test is as large as dev") {
  const auto check = [](std::string_view name, std::int64_t train, std::int64_t dev, std::int64_t vocabulary) {
    CAPTURE(std::string(name));
    REQUIRE(find_algorithmic_problem(name));
    const AlgorithmicSource source(*find_algorithmic_problem(name), 1);
    CHECK(source.has_inputs());
    CHECK(source.count(Split::train) == train);
    CHECK(source.count(Split::dev) == dev);
    CHECK(source.count(Split::test) == dev);
    CHECK(source.vocabulary() == vocabulary);
  };
  check("algorithmic_identity_binary40", 100000, 10000, 4);
  check("algorithmic_identity_decimal40", 100000, 10000, 12);
  check("algorithmic_identity_vocab95_train20_eval30", 1000000, 10000, 97);
  check("algorithmic_shift_decimal40", 100000, 10000, 22);
  check("algorithmic_reverse_binary40", 100000, 10000, 4);
  check("algorithmic_reverse_decimal40", 100000, 10000, 12);
  check("algorithmic_reverse_binary40_test", 1000, 100, 4);
  check("algorithmic_reverse_nlplike8k", 100000, 10000, 8002);
  check("algorithmic_reverse_nlplike32k", 100000, 10000, 32002);
  check("algorithmic_addition_binary40", 100000, 10000, 5);  // with the separator
  check("algorithmic_addition_decimal40", 100000, 10000, 13);
  check("algorithmic_multiplication_binary40", 100000, 10000, 5);
  check("algorithmic_multiplication_decimal40", 100000, 10000, 13);
  check("algorithmic_sort_problem", 100000, 10000, 22);
  check("tiny_algo", 100, 100, 4);
  CHECK(kAlgorithmicProblems.size() == 15);
  CHECK_FALSE(find_algorithmic_problem("algorithmic_identity_binary"));
  CHECK_FALSE(find_algorithmic_problem(""));
}

TEST_CASE("numbers lie in the vocabulary, and lengths in their bounds and as they were told") {
  for (const AlgorithmicProblem& problem : kAlgorithmicProblems) {
    CAPTURE(std::string(problem.name));
    const AlgorithmicSource source(problem, 1);
    SequencePair pair;
    for (const Split split : kAllSplits) {
      for (std::int64_t sample = 0; sample < looked_at(source, split); ++sample) {
        source.read_pair(split, sample, pair);
        const bool fine = well_formed(problem, source.vocabulary(), pair.inputs) &&
                          well_formed(problem, source.vocabulary(), pair.targets) &&
                          std::ssize(pair.inputs) <= longest_inputs(problem, split) &&
                          std::ssize(pair.targets) <= longest_targets(problem, split) &&
                          source.lengths(split, sample) ==
                              SequenceLengths{.inputs = std::ssize(pair.inputs), .targets = std::ssize(pair.targets)};
        REQUIRE_MESSAGE(fine, name(split) << " " << sample);
      }
    }
  }
}

TEST_CASE("every symbol stands in the inputs, and every length is there") {
  for (const AlgorithmicProblem& problem : kAlgorithmicProblems) {
    if (problem.zipf_exponent > 0 || problem.train_count < 1000) continue;
    CAPTURE(std::string(problem.name));
    const AlgorithmicSource source(problem, 1);
    std::set<std::int32_t> symbols;
    std::set<std::size_t> lengths;
    for (std::int64_t sample = 0; sample < looked_at(source, Split::train); ++sample) {
      const std::vector<std::int32_t> inputs = pair_of(source, Split::train, sample).inputs;
      symbols.insert(inputs.begin(), inputs.end() - 1);
      lengths.insert(inputs.size() - 1);
    }
    const bool shifts = problem.rule == AlgorithmicRule::shift;  // it adds to symbols of the lower half
    CHECK(std::ssize(symbols) == (shifts ? problem.symbols / 2 : source.vocabulary() - 2));
    const std::int32_t shortest = is_calculation(problem) ? 3 : 1;
    CHECK(std::ssize(lengths) == problem.train_length - shortest + 1);
    CHECK(static_cast<std::int32_t>(*lengths.begin()) == shortest);
  }
}

TEST_CASE("a sample is a pure function of seed, split and number") {
  for (const AlgorithmicProblem& problem : kAlgorithmicProblems) {
    CAPTURE(std::string(problem.name));
    const AlgorithmicSource source(problem, 1);
    const AlgorithmicSource same(problem, 1);
    const AlgorithmicSource other(problem, 2);
    constexpr std::int64_t kPairs = 100;
    int same_seed = 0;
    int same_split = 0;
    int same_number = 0;
    for (std::int64_t sample = kPairs - 1; sample >= 0; --sample) {
      const SequencePair pair = pair_of(source, Split::train, sample);
      REQUIRE(equal(pair, pair_of(same, Split::train, sample)));
      same_seed += equal(pair, pair_of(other, Split::train, sample)) ? 1 : 0;
      same_split += equal(pair, pair_of(source, Split::test, sample)) ? 1 : 0;
      same_number += equal(pair, pair_of(source, Split::train, (sample + 1) % kPairs)) ? 1 : 0;
    }
    CHECK(same_seed < 10);  // short sequences may be equal by chance
    CHECK(same_split < 10);
    CHECK(same_number < 10);
  }
}

TEST_CASE("threads that read at once read the same") {
  for (const AlgorithmicProblem& problem : kAlgorithmicProblems) {
    CAPTURE(std::string(problem.name));
    const AlgorithmicSource source(problem, 1);
    const std::int64_t count = std::min<std::int64_t>(100, source.count(Split::dev));
    std::vector<SequencePair> expected;
    expected.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) expected.push_back(pair_of(source, Split::dev, i));
    std::vector<int> differing(3);
    std::vector<std::thread> threads;
    threads.reserve(3);
    for (const std::int64_t stride : {3, 7, 11}) {  // coprime to 100: each thread reads all samples
      threads.emplace_back([&, stride, thread = threads.size()] {
        SequencePair pair;
        for (std::int64_t i = 0; i < count; ++i) {
          const std::int64_t sample = i * stride % count;
          source.read_pair(Split::dev, sample, pair);
          if (!equal(pair, expected[static_cast<std::size_t>(sample)])) ++differing[thread];
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(differing == std::vector<int>{0, 0, 0});
  }
}

TEST_CASE("the lengths' means are those of their law") {
  for (const AlgorithmicProblem& problem : kAlgorithmicProblems) {
    CAPTURE(std::string(problem.name));
    const AlgorithmicSource source(problem, 1);
    for (const Split split : kAllSplits) {
      const double most = split == Split::dev ? problem.dev_length : problem.train_length;
      double expected = (most + 1) / 2;
      if (problem.zipf_exponent > 0) expected = most / 2 + 0.5;  // rounding x down subtracts 0.5 on average
      // Numbers of l = 1 ... most / 2 and 1 ... most - l - 1 digits, and the separator.
      if (is_calculation(problem)) expected = most / 2 + 1 + (most / 2 + 1) / 4;
      if (!problem.raw) expected += 1;
      const auto count = looked_at(source, split);
      double mean = 0;
      for (std::int64_t i = 0; i < count; ++i) {
        mean += static_cast<double>(source.lengths(split, i).inputs) / static_cast<double>(count);
      }
      // A uniform law has the standard deviation most / sqrt(12), the others less.
      const double deviation = most / std::sqrt(12.0 * static_cast<double>(count));
      CHECK(std::abs(mean - expected) < 3 * deviation);
    }
  }
}

TEST_CASE("symbols like those of a language follow Zipf's law from the first one on") {
  for (const AlgorithmicProblem& problem : kAlgorithmicProblems) {
    if (problem.zipf_exponent <= 0) continue;
    CAPTURE(std::string(problem.name));
    const AlgorithmicSource source(problem, 1);
    std::vector<double> found(static_cast<std::size_t>(source.vocabulary()));
    double symbols = 0;
    for (std::int64_t sample = 0; sample < kSamples; ++sample) {
      const std::vector<std::int32_t> inputs = pair_of(source, Split::train, sample).inputs;
      for (const std::int32_t id : inputs) found.at(static_cast<std::size_t>(id)) += id == kEndSymbol ? 0 : 1;
      symbols += static_cast<double>(inputs.size() - 1);
    }
    double total = 0;
    for (int rank = 1; rank <= problem.symbols; ++rank) total += std::pow(rank, -problem.zipf_exponent);
    for (std::size_t rank = 1; rank <= 10; ++rank) {
      const double share = std::pow(static_cast<double>(rank), -problem.zipf_exponent) / total;
      const double deviation = std::sqrt(share * (1 - share) / symbols);
      CHECK(std::abs(found[rank + 1] / symbols - share) < 4 * deviation);  // the most frequent one is kFirstSymbol
    }
  }
}

TEST_CASE("samples beyond the split are an internal error") {
  const AlgorithmicSource source(*find_algorithmic_problem("algorithmic_addition_binary40"), 1);
  check_error(ExitCode::internal, {"no such sample"}, [&] { pair_of(source, Split::test, 10000); });
  check_error(ExitCode::internal, {"no such sample"}, [&] { pair_of(source, Split::train, -1); });
  check_error(ExitCode::internal, {"no such sample"}, [&] { source.lengths(Split::dev, 10000); });
}

}  // namespace lockstep
