#pragma once

#include <cstdint>
#include <optional>

// How long a run has to go on, judged by what its steps and evaluations have taken so far. Pure; times are in seconds.
namespace lockstep {

struct PaceSoFar {
  std::int64_t step = 0;         // the last one made
  std::int64_t measured = 0;     // steps that were timed; the first one, which takes longer, is none of them
  double stepping = 0;           // what they took, with all that came between them but for evaluations
  std::int64_t evaluations = 0;  // that were timed
  double evaluating = 0;         // what they took
};

// An evaluation under way.
struct EvaluationUnderWay {
  double seconds = 0;  // so far
  double share = 0;    // of it that is done
};

// Evaluations that fall due after `step`, up to the last of `steps`: one every so many steps, and one at the end.
// every: 0: at the end only; none: never.
std::int64_t evaluations_left(std::int64_t step, std::int64_t steps, std::optional<std::int64_t> every);

// None if no step was timed and there are some to come. Evaluations count as far as one has shown what it takes.
std::optional<double> time_left(const PaceSoFar& pace, std::int64_t steps, std::optional<std::int64_t> evaluate_every,
                                const std::optional<EvaluationUnderWay>& under_way = {});

}  // namespace lockstep
