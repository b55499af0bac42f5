#include <memory>
#include <string_view>

#include "base/error.h"
#include "data/problems.h"
#include "data/sequences/algorithmic_problems.h"
#include "data/sequences/algorithmic_source.h"
#include "data/sequences/sequence_sides.h"

namespace lockstep {

std::unique_ptr<Problem> make_algorithmic(std::string_view name, const ProblemOptions& options) {
  const SequenceName parsed = parse_sequence_name(name);
  const AlgorithmicProblem* const problem = find_algorithmic_problem(parsed.base);
  LS_CHECK(problem != nullptr, "one of kAlgorithmicProblems");
  return arrange_sides(parsed, std::make_unique<AlgorithmicSource>(*problem, options.seed));
}

}  // namespace lockstep
