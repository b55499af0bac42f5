#include "optim/schedule.h"

#include <doctest/doctest.h>

#include <string>

#include "base/error.h"

namespace lockstep {
namespace {

HParams hparams_with(double rate, const std::string& schedule, std::int64_t warmup) {
  HParams hparams;
  hparams.set("learning_rate", rate);
  hparams.set("learning_rate_schedule", schedule);
  hparams.set("learning_rate_warmup_steps", warmup);
  return hparams;
}

TEST_CASE("constant") {
  const Schedule schedule(hparams_with(0.1, "constant", 50), {.train_steps = 100});
  CHECK(schedule.at(1) == 0.1);
  CHECK(schedule.at(100) == 0.1);
}

TEST_CASE("warm-up rises linearly and stays") {
  const Schedule schedule(hparams_with(0.1, "constant*linear_warmup", 4), {.train_steps = 100});
  CHECK(schedule.at(1) == doctest::Approx(0.025));
  CHECK(schedule.at(4) == doctest::Approx(0.1));
  CHECK(schedule.at(5) == doctest::Approx(0.1));
  CHECK(Schedule(hparams_with(0.1, "linear_warmup", 0), {.train_steps = 100}).at(1) == 0.1);
}

TEST_CASE("cosine starts whole, is half in the middle and near nothing at the end") {
  const Schedule schedule(hparams_with(2, "cosine", 0), {.train_steps = 100});
  CHECK(schedule.at(1) == doctest::Approx(2));
  CHECK(schedule.at(51) == doctest::Approx(1));
  CHECK(schedule.at(100) < 0.001);
  CHECK(schedule.at(101) == doctest::Approx(0));
  CHECK(schedule.at(500) == doctest::Approx(0));
}

TEST_CASE("factors multiply") {
  const Schedule schedule(hparams_with(1, "constant * linear_warmup * cosine", 10), {.train_steps = 20});
  CHECK(schedule.at(5) == doctest::Approx(0.5 * Schedule(hparams_with(1, "cosine", 0), {.train_steps = 20}).at(5)));
}

TEST_CASE("unknown factors and numbers out of range are refused") {
  CHECK_THROWS_WITH_AS(Schedule(hparams_with(1, "constant*cosin", 0), {.train_steps = 10}),
                       doctest::Contains("no factor 'cosin' (did you mean 'cosine'?)"), Error);
  CHECK_THROWS_WITH_AS(Schedule(hparams_with(-1, "constant", 0), {.train_steps = 10}),
                       doctest::Contains("learning_rate is -1"), Error);
  CHECK_THROWS_WITH_AS(Schedule(hparams_with(1, "constant", -1), {.train_steps = 10}),
                       doctest::Contains("warmup_steps is -1"), Error);
}

}  // namespace
}  // namespace lockstep
