#include <memory>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "data/problems.h"
#include "data/sequences/algorithmic_problems.h"
#include "data/sequences/algorithmic_source.h"
#include "data/sequences/sequence_problem.h"
#include "data/sequences/sequence_sides.h"

namespace lockstep {

std::unique_ptr<Problem> make_algorithmic(std::string_view name, const ProblemOptions& options) {
  const SequenceName parsed = parse_sequence_name(name);
  const AlgorithmicProblem* const problem = find_algorithmic_problem(parsed.base);
  LS_CHECK(problem != nullptr, "one of kAlgorithmicProblems");
  auto source = arrange_sides(parsed, std::make_unique<AlgorithmicSource>(*problem, options.seed));
  return std::make_unique<SequenceProblem>(SequenceProblem::Options{.source = std::move(source)});
}

}  // namespace lockstep
