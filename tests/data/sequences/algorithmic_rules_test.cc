#include "data/sequences/algorithmic_rules.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/sequences/algorithmic_source.h"
#include "data/sequences/long_number.h"
#include "support/check_error.h"

namespace lockstep {
namespace {

using Symbols = std::vector<std::int32_t>;

// Returns a side of a sample without its end symbol, numbered from 0.
Symbols symbols_of(const AlgorithmicProblem& problem, Symbols side) {
  if (problem.raw) return side;
  side.pop_back();
  for (std::int32_t& symbol : side) symbol -= kFirstSymbol;
  return side;
}

Symbols counted(const Symbols& symbols, std::int32_t kinds) {
  Symbols counts(static_cast<std::size_t>(kinds));
  for (const std::int32_t symbol : symbols) ++counts.at(static_cast<std::size_t>(symbol));
  return counts;
}

// Returns whether there are two numbers, neither with leading zeros.
bool are_numbers(const Symbols& inputs, std::size_t separator) {
  if (separator == 0 || separator + 1 >= inputs.size()) return false;
  return (separator == 1 || inputs[separator - 1] > 0) && (separator + 2 == inputs.size() || inputs.back() > 0);
}

Symbols calculated(const AlgorithmicProblem& problem, const Symbols& inputs) {
  const auto separator = static_cast<std::size_t>(std::ranges::find(inputs, problem.symbols) - inputs.begin());
  REQUIRE(are_numbers(inputs, separator));
  LongNumber a = LongNumber::of_digits(std::span(inputs).first(separator), problem.symbols);
  const LongNumber b = LongNumber::of_digits(std::span(inputs).subspan(separator + 1), problem.symbols);
  if (problem.rule == AlgorithmicRule::multiply) return a.times(b).digits(problem.symbols);
  a.add(b);
  return a.digits(problem.symbols);
}

bool follows(const AlgorithmicProblem& problem, const Symbols& inputs, const Symbols& targets) {
  switch (problem.rule) {
    case AlgorithmicRule::copy:
      return targets == inputs;
    case AlgorithmicRule::shift:
      return std::ranges::equal(inputs, targets, [](auto input, auto target) { return target - input == 10; }) &&
             std::ranges::all_of(inputs, [](auto input) { return input < 10; });
    case AlgorithmicRule::reverse:
      return std::equal(inputs.begin(), inputs.end(), targets.rbegin(), targets.rend());
    case AlgorithmicRule::add:
    case AlgorithmicRule::multiply:
      return targets == calculated(problem, inputs);
    case AlgorithmicRule::sort:
      return std::ranges::is_sorted(targets) && counted(targets, problem.symbols) == counted(inputs, problem.symbols);
  }
  return false;
}

Symbols targets_of(std::string_view name, const Symbols& inputs) {
  Symbols targets{5, 5};  // overwritten
  apply_rule(*find_algorithmic_problem(name), inputs, targets);
  return targets;
}

}  // namespace

TEST_CASE("rules by hand") {
  CHECK(targets_of("algorithmic_identity_decimal40", {3, 1, 4}) == Symbols{3, 1, 4});
  CHECK(targets_of("algorithmic_shift_decimal40", {3, 0, 9}) == Symbols{13, 10, 19});
  CHECK(targets_of("algorithmic_reverse_decimal40", {3, 1, 4}) == Symbols{4, 1, 3});
  CHECK(targets_of("algorithmic_sort_problem", {3, 1, 4, 1}) == Symbols{1, 1, 3, 4});
  CHECK(targets_of("algorithmic_addition_decimal40", {8, 9, 10, 5}) == Symbols{3, 0, 1});           // 98 + 5
  CHECK(targets_of("algorithmic_multiplication_decimal40", {2, 1, 10, 1, 1}) == Symbols{2, 3, 1});  // 12 * 11
  CHECK(targets_of("algorithmic_multiplication_binary40", {1, 1, 2, 0}) == Symbols{0});             // 3 * 0
}

TEST_CASE("what is not two numbers is an internal error") {
  for (const Symbols& inputs : {Symbols{1, 2, 3}, Symbols{10, 1}, Symbols{1, 10}, Symbols{}}) {
    check_error(ExitCode::internal, {"not two numbers"}, [&] { targets_of("algorithmic_addition_decimal40", inputs); });
  }
}

TEST_CASE("targets follow from the inputs in every split of every problem") {
  for (const AlgorithmicProblem& problem : kAlgorithmicProblems) {
    CAPTURE(std::string(problem.name));
    const AlgorithmicSource source(problem, 1);
    SequencePair pair;
    for (const Split split : kAllSplits) {
      const std::int64_t count = std::min<std::int64_t>(1000, source.count(split));
      for (std::int64_t sample = 0; sample < count; ++sample) {
        source.read(split, sample, {.pair = &pair});
        const bool right = follows(problem, symbols_of(problem, pair.inputs), symbols_of(problem, pair.targets));
        REQUIRE_MESSAGE(right, name(split) << " " << sample);
      }
    }
  }
}

// Checksums from our own implementation in Python: every run on these problems depends on these numbers.
TEST_CASE("samples stay what they are") {
  const std::vector<std::pair<const char*, std::int64_t>> expected{
      {"algorithmic_identity_binary40", 16735312},
      {"algorithmic_identity_decimal40", 43607896},
      {"algorithmic_identity_vocab95_train20_eval30", 3510076},
      {"algorithmic_shift_decimal40", 5455340},
      {"algorithmic_reverse_binary40", 16693798},
      {"algorithmic_reverse_decimal40", 43485826},
      {"algorithmic_reverse_binary40_test", 39709},
      {"algorithmic_reverse_nlplike8k", 85477466},
      {"algorithmic_reverse_nlplike32k", 950787043},
      {"algorithmic_addition_binary40", 11822243},
      {"algorithmic_addition_decimal40", 30620337},
      {"algorithmic_multiplication_binary40", 18723035},
      {"algorithmic_multiplication_decimal40", 48534708},
      {"algorithmic_sort_problem", 378264},
      {"tiny_algo", 3386912},
  };
  const auto weighed = [](const Symbols& side) {  // sum of number * (place + 1)
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < side.size(); ++i) sum += side[i] * static_cast<std::int64_t>(i + 1);
    return sum;
  };
  REQUIRE(expected.size() == kAlgorithmicProblems.size());
  for (const auto& [name, checksum] : expected) {
    CAPTURE(name);
    const AlgorithmicSource source(*find_algorithmic_problem(name), 1);
    std::int64_t sum = 0;
    SequencePair pair;
    for (const Split split : kAllSplits) {
      for (std::int64_t sample = 0; sample < 50; ++sample) {
        source.read(split, sample, {.pair = &pair});
        sum += weighed(pair.inputs) + 3 * weighed(pair.targets);
      }
    }
    CHECK(sum == checksum);
  }
}

}  // namespace lockstep
