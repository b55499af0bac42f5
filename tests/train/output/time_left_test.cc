#include "train/output/time_left.h"

#include <doctest/doctest.h>

namespace lockstep {

TEST_CASE("evaluations fall due every so many steps, and once at the end") {
  CHECK(evaluations_left(0, 1000, {}) == 0);
  CHECK(evaluations_left(0, 1000, 0) == 1);
  CHECK(evaluations_left(999, 1000, 0) == 1);
  CHECK(evaluations_left(1000, 1000, 0) == 0);
  CHECK(evaluations_left(0, 1000, 100) == 10);
  CHECK(evaluations_left(100, 1000, 100) == 9);
  CHECK(evaluations_left(199, 1000, 100) == 9);
  CHECK(evaluations_left(0, 1050, 100) == 11);
  CHECK(evaluations_left(1000, 1050, 100) == 1);
  CHECK(evaluations_left(0, 50, 100) == 1);
}

TEST_CASE("the time left is that of the steps to come and of the evaluations between them") {
  // 0.5 s per step, 4 s per evaluation, 800 steps to come with 8 evaluations.
  const PaceSoFar pace{.step = 200, .measured = 100, .stepping = 50, .evaluations = 2, .evaluating = 8};
  CHECK(time_left(pace, 1000, 100) == 400 + 8 * 4);
  CHECK(time_left(pace, 1000, 0) == 400 + 4);
  CHECK(time_left(pace, 1000, {}) == 400);
}

TEST_CASE("it falls while an evaluation goes on") {
  const PaceSoFar pace{.step = 200, .measured = 100, .stepping = 50, .evaluations = 2, .evaluating = 8};
  CHECK(time_left(pace, 1000, 100, EvaluationUnderWay{.seconds = 0, .share = 0}) == 400 + 8 * 4 + 4);
  CHECK(time_left(pace, 1000, 100, EvaluationUnderWay{.seconds = 1, .share = 0.25}) == 400 + 8 * 4 + 3);
  CHECK(time_left(pace, 1000, 100, EvaluationUnderWay{.seconds = 9, .share = 1}) == 400 + 8 * 4);
}

TEST_CASE("a first evaluation shows what it takes as it goes on") {
  const PaceSoFar pace{.step = 100, .measured = 50, .stepping = 25};
  CHECK(time_left(pace, 200, 100) == 50);  // unknown yet
  CHECK(time_left(pace, 200, 100, EvaluationUnderWay{.seconds = 1, .share = 0}) == 50);
  CHECK(time_left(pace, 200, 100, EvaluationUnderWay{.seconds = 1, .share = 0.25}) == 50 + 4 + 3);
}

TEST_CASE("nothing is said before a step was timed, but of the evaluation of a run that has made all its steps") {
  CHECK(time_left({.step = 1}, 1000, 100) == std::nullopt);
  CHECK(time_left({.step = 0}, 1000, 100, EvaluationUnderWay{.seconds = 1, .share = 0.5}) == std::nullopt);
  CHECK(time_left({.step = 1000}, 1000, 100) == 0);
  CHECK(time_left({.step = 1000}, 1000, 100, EvaluationUnderWay{.seconds = 1, .share = 0.5}) == 1);
}

}  // namespace lockstep
