#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep {

// Rule by which the targets follow from the inputs.
enum class AlgorithmicRule {
  copy,
  shift,  // the inputs are of the lower half of the symbols, each target is as far into the upper half
  reverse,
  add,       // two numbers, least significant digit first, with a separator between them
  multiply,  // inputs as for `add`
  sort,
};

// One of tensor2tensor's generated problems (data_generators/algorithmic.py): its `algorithmic_*` and `tiny_algo`.
struct AlgorithmicProblem {
  std::string_view name;
  AlgorithmicRule rule;
  std::int32_t symbols;  // the base of numbers, whose separator is one more symbol
  std::int32_t train_length = 40;
  std::int32_t dev_length = 400;  // longest dev inputs; longer than in training, to measure how a model generalises
  std::int64_t train_count = 100'000;
  std::int64_t dev_count = 10'000;
  // Exponent of Zipf's law for the symbols' frequencies; lengths are normally distributed then. 0: all symbols and all
  // lengths are equally frequent.
  double zipf_exponent = 0;
  // True if a sequence's numbers are its symbols from 0 on, without an end, although 0 and 1 mean padding and the end
  // elsewhere. T2T does this in tiny_algo, which only serves to let something run.
  bool raw = false;

  // Number of symbols that can occur in a sequence.
  constexpr std::int32_t symbols_used() const {
    return symbols + (rule == AlgorithmicRule::add || rule == AlgorithmicRule::multiply ? 1 : 0);
  }
};

inline constexpr std::array kAlgorithmicProblems = [] {
  using Rule = AlgorithmicRule;
  using P = AlgorithmicProblem;
  return std::array{
      P{.name = "algorithmic_identity_binary40", .rule = Rule::copy, .symbols = 2},
      P{.name = "algorithmic_identity_decimal40", .rule = Rule::copy, .symbols = 10},
      P{.name = "algorithmic_identity_vocab95_train20_eval30",
        .rule = Rule::copy,
        .symbols = 95,
        .train_length = 20,
        .dev_length = 30,
        .train_count = 1'000'000},
      P{.name = "algorithmic_shift_decimal40", .rule = Rule::shift, .symbols = 20, .dev_length = 80},
      P{.name = "algorithmic_reverse_binary40", .rule = Rule::reverse, .symbols = 2},
      P{.name = "algorithmic_reverse_decimal40", .rule = Rule::reverse, .symbols = 10},
      P{.name = "algorithmic_reverse_binary40_test",
        .rule = Rule::reverse,
        .symbols = 2,
        .train_length = 10,
        .dev_length = 10,
        .train_count = 1000,
        .dev_count = 100},
      P{.name = "algorithmic_reverse_nlplike8k",
        .rule = Rule::reverse,
        .symbols = 8000,
        .train_length = 70,
        .dev_length = 70,
        .zipf_exponent = 1.3},
      P{.name = "algorithmic_reverse_nlplike32k",
        .rule = Rule::reverse,
        .symbols = 32000,
        .train_length = 70,
        .dev_length = 70,
        .zipf_exponent = 1.05},
      P{.name = "algorithmic_addition_binary40", .rule = Rule::add, .symbols = 2},
      P{.name = "algorithmic_addition_decimal40", .rule = Rule::add, .symbols = 10},
      P{.name = "algorithmic_multiplication_binary40", .rule = Rule::multiply, .symbols = 2},
      P{.name = "algorithmic_multiplication_decimal40", .rule = Rule::multiply, .symbols = 10},
      P{.name = "algorithmic_sort_problem", .rule = Rule::sort, .symbols = 20, .train_length = 10, .dev_length = 20},
      P{.name = "tiny_algo", .rule = Rule::copy, .symbols = 2, .train_count = 100, .dev_count = 100, .raw = true},
  };
}();

// A line of help: the task, the symbols and the lengths.
std::string describe(const AlgorithmicProblem& problem);

// The problem of this name, nullptr if there is none.
constexpr const AlgorithmicProblem* find_algorithmic_problem(std::string_view name) {
  const auto* found = std::ranges::find(kAlgorithmicProblems, name, &AlgorithmicProblem::name);
  return found == kAlgorithmicProblems.end() ? nullptr : found;
}

}  // namespace lockstep
