#include "data/sequences/algorithmic_problems.h"

#include <fmt/format.h>

namespace lockstep {
namespace {

const char* task_of(AlgorithmicRule rule) {
  switch (rule) {
    case AlgorithmicRule::copy:
      return "copy a sequence";
    case AlgorithmicRule::shift:
      return "add the same number to each symbol of a sequence";
    case AlgorithmicRule::reverse:
      return "reverse a sequence";
    case AlgorithmicRule::add:
      return "add two numbers";
    case AlgorithmicRule::multiply:
      return "multiply two numbers";
    case AlgorithmicRule::sort:
      return "sort a sequence";
  }
  return "unknown";
}

}  // namespace

std::string describe(const AlgorithmicProblem& problem) {
  const bool numbers = problem.symbols_used() > problem.symbols;
  const std::string symbols =
      numbers ? fmt::format("base {}", problem.symbols) : fmt::format("{} symbols", problem.symbols);
  return fmt::format("generated: {} ({}; inputs up to {} long, in dev {})", task_of(problem.rule), symbols,
                     problem.train_length, problem.dev_length);
}

}  // namespace lockstep
