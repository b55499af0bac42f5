#include "data/sequences/algorithmic_rules.h"

#include <algorithm>

#include "base/error.h"
#include "data/sequences/digits.h"

namespace lockstep {
namespace {

void calculate(const AlgorithmicProblem& problem, std::span<const std::int32_t> inputs,
               std::vector<std::int32_t>& targets) {
  const auto separator = static_cast<std::size_t>(std::ranges::find(inputs, problem.symbols) - inputs.begin());
  LS_CHECK(separator > 0 && separator + 1 < inputs.size(), "not two numbers");
  const auto operation = problem.rule == AlgorithmicRule::add ? add_digits : multiply_digits;
  operation(inputs.first(separator), inputs.subspan(separator + 1), problem.symbols, targets);
}

}  // namespace

void apply_rule(const AlgorithmicProblem& problem, std::span<const std::int32_t> inputs,
                std::vector<std::int32_t>& targets) {
  switch (problem.rule) {
    case AlgorithmicRule::add:
    case AlgorithmicRule::multiply:
      calculate(problem, inputs, targets);
      return;
    case AlgorithmicRule::copy:
      targets.assign(inputs.begin(), inputs.end());
      return;
    case AlgorithmicRule::shift:
      targets.assign(inputs.begin(), inputs.end());
      for (std::int32_t& symbol : targets) symbol += problem.symbols / 2;
      return;
    case AlgorithmicRule::reverse:
      targets.assign(inputs.rbegin(), inputs.rend());
      return;
    case AlgorithmicRule::sort:
      targets.assign(inputs.begin(), inputs.end());
      std::ranges::sort(targets);
      return;
  }
}

}  // namespace lockstep
