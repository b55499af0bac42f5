#include "optim/schedule.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "optim/schedule_hparams.h"

namespace lockstep {
namespace {

TEST_CASE("factors multiply each other and learning_rate") {
  const Schedule both(schedule_hparams(2, "constant * linear_warmup*cosine", 10), {.train_steps = 20});
  const Schedule cosine(schedule_hparams(1, "cosine"), {.train_steps = 20});
  CHECK(both.at(5) == doctest::Approx(2 * 0.5 * cosine.at(5)));
  CHECK(both.description().empty());
}

TEST_CASE("linear scaling multiplies the rate and says so") {
  HParams hparams = schedule_hparams(0.1, "constant");
  hparams.set("learning_rate_reference_batch", std::int64_t{256});
  const Schedule schedule(hparams, {.train_steps = 1000, .steps_per_epoch = 118, .global_batch = 1024});
  CHECK(schedule.at(1) == doctest::Approx(0.1));
  CHECK(schedule.at(591) == doctest::Approx(0.4));
  CHECK(schedule.description() ==
        "linear scaling: global batch 1024 / 256 = learning rate x 4, after a warm-up of 590 steps");
}

TEST_CASE("linear_warmup and noam count as a warm-up if they have steps") {
  HParams hparams = schedule_hparams(0.1, "constant*linear_warmup*cosine", 10);
  hparams.set("learning_rate_reference_batch", std::int64_t{256});
  const Schedule::Run run{.train_steps = 1000, .steps_per_epoch = 118, .global_batch = 1024};
  CHECK(Schedule(hparams, run).description() ==
        "linear scaling: global batch 1024 / 256 = learning rate x 4, warmed up by the schedule");
  CHECK(Schedule(hparams, run).at(1) == doctest::Approx(0.04));
  HParams noam = hparams;
  noam.set("learning_rate_schedule", std::string("noam")).set("hidden_size", std::int64_t{64});
  CHECK(Schedule(noam, run).description().find("warmed up by the schedule") != std::string::npos);
  hparams.set("learning_rate_warmup_steps", std::int64_t{0});
  CHECK(Schedule(hparams, run).description().find("after a warm-up of 590 steps") != std::string::npos);
  CHECK(Schedule(hparams, run).at(1) == doctest::Approx(0.1));
}

TEST_CASE("asked for, the rate is divided by the root of the ranks that make updates of their own") {
  HParams hparams = schedule_hparams(0.6, "constant*linear_warmup", 10);
  CHECK(Schedule(hparams, {.workers = 9}).at(5) == doctest::Approx(0.3));
  hparams.set("learning_rate_root_of_workers", true);
  CHECK(Schedule(hparams, {.workers = 9}).at(5) == doctest::Approx(0.1));
  CHECK(Schedule(hparams, {.workers = 9}).description() ==
        "learning rate divided by 3, the square root of the number of ranks that train");
  CHECK(Schedule(hparams, {}).at(5) == doctest::Approx(0.3));
  CHECK(Schedule(hparams, {}).description().empty());
  hparams.set("learning_rate_reference_batch", std::int64_t{100});
  CHECK(Schedule(hparams, {.global_batch = 50, .workers = 4}).at(10) == doctest::Approx(0.15));
  CHECK(Schedule(hparams, {.global_batch = 50, .workers = 4}).description() ==
        "linear scaling: global batch 50 / 100 = learning rate x 0.5; learning rate divided by 2, "
        "the square root of the number of ranks that train");
}

TEST_CASE("unknown factors are refused with the nearest name") {
  CHECK_THROWS_WITH_AS(Schedule(schedule_hparams(1, "constant*cosin"), {}),
                       doctest::Contains("no factor 'cosin' (did you mean 'cosine'?)"), Error);
  CHECK_THROWS_WITH_AS(Schedule(schedule_hparams(1, "rsqrt_decays"), {}), doctest::Contains("'rsqrt_decay'?"), Error);
  CHECK_THROWS_WITH_AS(Schedule(schedule_hparams(1, ""), {}), doctest::Contains("no factor ''"), Error);
  CHECK_THROWS_WITH_AS(Schedule(schedule_hparams(1, "constant**cosine"), {}), doctest::Contains("no factor ''"), Error);
}

TEST_CASE("numbers out of range are refused, also those of factors that are not used") {
  const struct {
    const char* name;
    HParams::Value value;
    const char* message;
  } cases[] = {
      {"learning_rate", -1.0, "hparam learning_rate is -1;"},
      {"learning_rate", NAN, "hparam learning_rate is nan"},
      {"learning_rate", std::numeric_limits<double>::infinity(), "hparam learning_rate is inf"},
      {"learning_rate_constant", -0.5, "hparam learning_rate_constant is -0.5"},
      {"learning_rate_warmup_steps", std::int64_t{-1}, "hparam learning_rate_warmup_steps is -1"},
      {"learning_rate_cosine_end", 1.5, "hparam learning_rate_cosine_end is 1.5"},
      {"learning_rate_decay_steps", std::int64_t{0}, "hparam learning_rate_decay_steps is 0; it has to be at least 1"},
      {"learning_rate_decay_rate", -0.1, "hparam learning_rate_decay_rate is -0.1"},
      {"learning_rate_reference_batch", std::int64_t{-256}, "hparam learning_rate_reference_batch is -256"},
  };
  for (const auto& [name, value, message] : cases) {
    CAPTURE(message);
    HParams hparams = schedule_hparams(1, "constant");
    hparams.set(name, value);
    try {
      const Schedule schedule(hparams, {});
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::usage);
      CHECK(std::string(error.what()).find(message) == 0);
    }
  }
}

}  // namespace
}  // namespace lockstep
