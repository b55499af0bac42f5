#pragma once

#include <cstdint>
#include <optional>

// The time of a run's steps and evaluations so far, by which the time left is estimated. Pure; times are in seconds.
namespace lockstep {

struct PaceSoFar {
  std::int64_t step = 0;         // last step made
  std::int64_t measured = 0;     // steps that were timed; the first one takes longer, and is not among them
  double stepping = 0;           // their time, with everything between them except for evaluations
  std::int64_t evaluations = 0;  // evaluations that were timed
  double evaluating = 0;         // their time
};

// An evaluation under way.
struct EvaluationUnderWay {
  double seconds = 0;  // time so far
  double share = 0;    // part of it that is done
};

// The number of evaluations that fall due after `step`, up to the last of `steps`: one every `every` steps, and one at
// the end. every: 0: at the end only; none: never.
std::int64_t evaluations_left(std::int64_t step, std::int64_t steps, std::optional<std::int64_t> every);

// The time left; none if no step was timed and there are some to come. Evaluations count as soon as one has shown its
// time.
std::optional<double> time_left(const PaceSoFar& pace, std::int64_t steps, std::optional<std::int64_t> evaluate_every,
                                const std::optional<EvaluationUnderWay>& under_way = {});

}  // namespace lockstep
