#include "optim/schedule_factors.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/error.h"
#include "optim/schedule_hparams.h"

namespace lockstep {
namespace {

HParams decaying(std::int64_t every, double rate, std::int64_t warmup = 0) {
  HParams hparams = schedule_hparams(1, "", warmup);
  hparams.set("learning_rate_decay_steps", every);
  hparams.set("learning_rate_decay_rate", rate);
  return hparams;
}

TEST_CASE("constant is learning_rate_constant, 1 without it") {
  HParams hparams = schedule_hparams(1, "");
  CHECK(make_schedule_factor("constant", hparams, 100)(7) == 1);
  hparams.set("learning_rate_constant", 2.0);
  CHECK(make_schedule_factor("constant", hparams, 100)(7) == 2);
}

TEST_CASE("linear_warmup rises evenly and stays") {
  const ScheduleFactor factor = make_schedule_factor("linear_warmup", schedule_hparams(1, "", 4), 100);
  CHECK(factor(1) == 0.25);
  CHECK(factor(4) == 1);
  CHECK(factor(5) == 1);
  CHECK(make_schedule_factor("linear_warmup", schedule_hparams(1, ""), 100)(1) == 1);
}

TEST_CASE("cosine starts whole, is half in the middle and near nothing at the end") {
  const ScheduleFactor factor = make_schedule_factor("cosine", schedule_hparams(1, ""), 100);
  CHECK(factor(1) == 1);
  CHECK(factor(26) == doctest::Approx(0.5 + std::sqrt(0.125)));
  CHECK(factor(51) == doctest::Approx(0.5));
  CHECK(factor(100) < 0.001);
  CHECK(factor(101) == doctest::Approx(0));
  CHECK(factor(500) == doctest::Approx(0));
}

TEST_CASE("cosine after the warm-up is whole until its end, and reaches the same end") {
  const ScheduleFactor factor = make_schedule_factor("cosine_after_warmup", schedule_hparams(1, "", 20), 100);
  const ScheduleFactor cosine = make_schedule_factor("cosine", schedule_hparams(1, ""), 80);
  for (const std::int64_t step : {1, 7, 20, 21}) CHECK(factor(step) == 1);
  for (const std::int64_t step : {22, 60, 99, 100, 200}) CHECK(factor(step) == doctest::Approx(cosine(step - 20)));
  // A run that ends during its warm-up.
  CHECK(make_schedule_factor("cosine_after_warmup", schedule_hparams(1, "", 20), 10)(10) == 1);
}

TEST_CASE("cosine ends at learning_rate_cosine_end") {
  HParams hparams = schedule_hparams(1, "");
  hparams.set("learning_rate_cosine_end", 0.1);
  const ScheduleFactor factor = make_schedule_factor("cosine", hparams, 100);
  CHECK(factor(1) == 1);
  CHECK(factor(51) == doctest::Approx(0.55));
  CHECK(factor(101) == doctest::Approx(0.1));
}

TEST_CASE("step_decay drops at equal intervals of steps") {
  const ScheduleFactor factor = make_schedule_factor("step_decay", decaying(10, 0.5, 3), 100);
  CHECK(factor(1) == 1);
  CHECK(factor(10) == 1);
  CHECK(factor(11) == 0.5);
  CHECK(factor(20) == 0.5);
  CHECK(factor(31) == 0.125);
}

TEST_CASE("exp_decay, alias exponential, falls evenly after the warm-up, or in stairs") {
  HParams hparams = decaying(10, 0.25, 5);
  for (const char* name : {"exp_decay", "exponential"}) {
    const ScheduleFactor factor = make_schedule_factor(name, hparams, 100);
    CHECK(factor(1) == 1);
    CHECK(factor(6) == 1);
    CHECK(factor(11) == doctest::Approx(0.5));
    CHECK(factor(26) == doctest::Approx(0.0625));
  }
  hparams.set("learning_rate_decay_staircase", true);
  const ScheduleFactor stairs = make_schedule_factor("exp_decay", hparams, 100);
  CHECK(stairs(15) == 1);
  CHECK(stairs(16) == 0.25);
  CHECK(stairs(26) == 0.0625);
}

TEST_CASE("a factor whose hparam the set lacks is refused by the hparam's name") {
  const HParams hparams = schedule_hparams(1, "");
  CHECK_THROWS_WITH_AS(make_schedule_factor("step_decay", hparams, 10),
                       doctest::Contains("hparam 'learning_rate_decay_rate' is missing"), Error);
  CHECK_THROWS_WITH_AS(make_schedule_factor("rsqrt_hidden_size", hparams, 10),
                       doctest::Contains("hparam 'hidden_size' is missing"), Error);
}

// constant * linear_warmup * rsqrt_decay * rsqrt_hidden_size of tensor2tensor's transformer sets, whose published
// formula is constant * min(1, s / w) / sqrt(max(s, w)) / sqrt(d): the step, then the rate, with d = 512, w = 8000 and
// constant 2.
TEST_CASE("tensor2tensor's schedules") {
  HParams hparams = schedule_hparams(1, "", 8000);
  hparams.set("learning_rate_constant", 2.0);
  hparams.set("hidden_size", std::int64_t{512});
  const struct {
    std::int64_t step;
    double rate;
  } recorded[] = {{1, 1.2352647110032733e-07},     {100, 1.2352647110032734e-05},  {4000, 0.0004941058844013093},
                  {8000, 0.0009882117688026187},   {16000, 0.0006987712429686843}, {100000, 0.0002795084971874737},
                  {250000, 0.0001767766952966369}, {300000, 0.0001613743060919757}};
  for (const auto& [step, rate] : recorded) {
    CAPTURE(step);
    double product = 1;
    for (const char* name : {"constant", "linear_warmup", "rsqrt_decay", "rsqrt_hidden_size"}) {
      product *= make_schedule_factor(name, hparams, 300000)(step);
    }
    CHECK(product == doctest::Approx(rate).epsilon(1e-13));
  }
}

TEST_CASE("noam: a warm-up, then 1 / sqrt(step), for an Adam 0.002 of other optimizers'") {
  HParams hparams = schedule_hparams(1, "", 4);
  hparams.set("hidden_size", std::int64_t{25}).set("optimizer", std::string("sgd"));
  for (const char* name : {"noam", "legacy"}) {
    const ScheduleFactor factor = make_schedule_factor(name, hparams, 100);
    CHECK(factor(2) == doctest::Approx(5000.0 / 5 * 2 / 8));
    CHECK(factor(4) == doctest::Approx(5000.0 / 5 / 2));
    CHECK(factor(16) == doctest::Approx(5000.0 / 5 / 4));
  }
  hparams.set("optimizer", std::string("adam"));
  CHECK(make_schedule_factor("noam", hparams, 100)(16) == doctest::Approx(10.0 / 5 / 4));
}

TEST_CASE("rsqrt_decay without a warm-up starts at 1") {
  const ScheduleFactor factor = make_schedule_factor("rsqrt_decay", schedule_hparams(1, ""), 100);
  CHECK(factor(1) == 1);
  CHECK(factor(16) == 0.25);
}

}  // namespace
}  // namespace lockstep
