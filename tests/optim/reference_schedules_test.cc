#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "optim/schedule.h"
#include "support/reference_cases.h"

// tensor2tensor's schedules, by the values of its formulas.
namespace lockstep {
namespace {

double number(const Json& json) {
  if (const auto* integer = json.as<std::int64_t>()) return static_cast<double>(*integer);
  return *json.as<double>();
}

HParams hparams_of(const Json& arguments, bool legacy) {
  HParams hparams = schedule_hparams();
  hparams.set("learning_rate_warmup_steps", *arguments.find("w")->as<std::int64_t>());
  hparams.set("hidden_size", *arguments.find("d")->as<std::int64_t>());
  hparams.set("optimizer", std::string("adam"));
  hparams.set("learning_rate", legacy ? number(*arguments.find("lr")) : 1.0);
  hparams.set("learning_rate_constant", legacy ? 1.0 : number(*arguments.find("c")));
  hparams.set("learning_rate_schedule", legacy ? std::string("legacy") : *arguments.find("sched")->as<std::string>());
  return hparams;
}

}  // namespace

// noam counts steps from 1, as tensor2tensor's does; its other factors count them from 0, so that its first step has
// the rate 0, and ours has what its second one has (optim/schedule_factors.h).
TEST_CASE("schedules: tensor2tensor's values") {
  const std::optional<Json> all = reference_cases("t2t_numeric_golden.json");
  if (!all) return;
  const Json& rates = *all->find("learning_rate");
  int compared = 0;
  for (const auto& [name, arguments] : *rates.find("args")->as<Json::Object>()) {
    CAPTURE(name);
    const bool legacy = *arguments.find("sched")->as<std::string>() == "legacy_noam";
    const Schedule schedule(hparams_of(arguments, legacy), {.train_steps = 300000});
    for (const auto& [step, rate] : *rates.find("values")->find(name)->as<Json::Object>()) {
      CAPTURE(step);
      CHECK(schedule.at(std::stoll(step) + (legacy ? 1 : 0)) == doctest::Approx(number(rate)).epsilon(1e-12));
      ++compared;
    }
  }
  CHECK(compared == 80);
}

TEST_CASE("noam: a warm-up, then 1 / sqrt(step), for an Adam 0.002 of other optimizers'") {
  HParams hparams = schedule_hparams();
  hparams.set("learning_rate", 1.0).set("learning_rate_schedule", std::string("noam"));
  hparams.set("learning_rate_warmup_steps", std::int64_t{4}).set("hidden_size", std::int64_t{25});
  hparams.set("optimizer", std::string("sgd"));
  CHECK(Schedule(hparams, {}).at(2) == doctest::Approx(5000.0 / 5 * 2 / 8));
  CHECK(Schedule(hparams, {}).at(4) == doctest::Approx(5000.0 / 5 / 2));
  CHECK(Schedule(hparams, {}).at(16) == doctest::Approx(5000.0 / 5 / 4));
  hparams.set("optimizer", std::string("adam"));
  CHECK(Schedule(hparams, {}).at(16) == doctest::Approx(10.0 / 5 / 4));
}

}  // namespace lockstep
