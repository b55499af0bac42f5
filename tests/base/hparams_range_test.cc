#include "base/hparams_range.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/error.h"

namespace lockstep {
namespace {

HParams example() {
  HParams hparams;
  hparams.set("layers", std::int64_t{3}).set("rate", 0.5).set("name", std::string("x"));
  return hparams;
}

TEST_CASE("an integer between its bounds, both of them allowed") {
  const HParams hparams = example();
  CHECK(integer_in(hparams, "layers", 3, 3) == 3);
  CHECK(integer_in(hparams, "layers", 0) == 3);
  CHECK_THROWS_WITH_AS(integer_in(hparams, "layers", 4, 9), "hparam layers is 3; it has to be between 4 and 9", Error);
  CHECK_THROWS_WITH_AS(integer_in(hparams, "layers", 0, 2), "hparam layers is 3; it has to be between 0 and 2", Error);
  CHECK_THROWS_WITH_AS(integer_in(hparams, "layers", 4), "hparam layers is 3; it has to be at least 4", Error);
}

TEST_CASE("a number from its least on, below its bound") {
  const HParams hparams = example();
  CHECK(number_in(hparams, "rate", 0.5, 1) == 0.5);
  CHECK(number_in(hparams, "layers", 0) == 3);
  CHECK_THROWS_WITH_AS(number_in(hparams, "rate", 0, 0.5), "hparam rate is 0.5; it has to be at least 0 and below 0.5",
                       Error);
  CHECK_THROWS_WITH_AS(number_in(hparams, "rate", 1), "hparam rate is 0.5; it has to be a number of at least 1", Error);
}

TEST_CASE("what is not finite is in no range") {
  for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    CAPTURE(value);
    HParams hparams;
    hparams.set("rate", value);
    CHECK_THROWS_AS(number_in(hparams, "rate", 0), Error);
    CHECK_THROWS_AS(number_in(hparams, "rate", -1e300, 1), Error);
  }
}

TEST_CASE("every rank finds the mistake, and it is one of usage") {
  const HParams hparams = example();
  for (const char* name : {"layers", "name", "none"}) {
    CAPTURE(name);
    try {
      integer_in(hparams, name, 4, 5);
      FAIL_CHECK("no Error was thrown");
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::usage);
      CHECK(error.scope() == Scope::every_rank);
    }
  }
}

TEST_CASE("what a set may leave out has a value all the same, and what it has is checked") {
  HParams hparams;
  hparams.set("count", std::int64_t{3}).set("rate", 0.5).set("flip", true);
  CHECK(integer_or(7, hparams, "count", 0) == 3);
  CHECK(integer_or(7, hparams, "absent", 0) == 7);
  CHECK(number_or(2, hparams, "rate", 0) == 0.5);
  CHECK(number_or(2, hparams, "absent", 0) == 2);
  CHECK(boolean_or(false, hparams, "flip"));
  CHECK(!boolean_or(false, hparams, "absent"));
  CHECK_THROWS_WITH_AS(integer_or(7, hparams, "count", 4), doctest::Contains("count is 3"), Error);
}

}  // namespace
}  // namespace lockstep
