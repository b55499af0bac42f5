#include "optim/optimizers.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "optim/optimizer_run.h"

// Closed forms: constant gradients, no gradients, first steps. recorded_steps_test.cc covers the rest.
namespace lockstep {
namespace {

constexpr double kRate = 0.0625;

// Returns the value after `steps` steps from 1 with the gradient g.
double after(const Optimizer& optimizer, int steps, double g, Optimizer::Decay decay = Optimizer::Decay::decayed) {
  OptimizerRun<double> run(optimizer, {1});
  for (int t = 1; t <= steps; ++t) {
    run.step([g](std::int64_t) { return g; }, {.learning_rate = kRate, .number = t, .decay = decay});
  }
  return run.values()[0];
}

doctest::Approx exactly(double value) { return doctest::Approx(value).epsilon(1e-13); }

TEST_CASE("SGD moves by rate times gradient") {
  for (double g : {3.0, -0.5}) CHECK(after(*make_sgd(optimizer_hparams()), 10, g) == exactly(1 - 10 * kRate * g));
}

TEST_CASE("momentum: a constant gradient g gives velocity g (1 - mu^t) / (1 - mu)") {
  const double mu = 0.75;
  double heavy_ball = 1;
  double nesterov = 1;
  for (int t = 1; t <= 5; ++t) {
    const double velocity = 3 * (1 - std::pow(mu, t)) / (1 - mu);
    heavy_ball -= kRate * velocity;
    nesterov -= kRate * (3 + mu * velocity);
  }
  HParams hparams = optimizer_hparams();
  CHECK(after(*make_momentum(hparams), 5, 3) == exactly(heavy_ball));
  CHECK(after(*make_nesterov(hparams), 5, 3) == exactly(nesterov));
  hparams.set("optimizer_momentum_nesterov", true);
  CHECK(after(*make_momentum(hparams), 5, 3) == exactly(nesterov));
}

// With a constant gradient g both corrected moments are g and g^2, so each step is rate * g / (|g| + epsilon'), where
// epsilon' = epsilon / sqrt(1 - beta2^t).
TEST_CASE("Adam on a constant gradient") {
  double expected = 1;
  for (int t = 1; t <= 4; ++t) expected -= kRate * 3 / (3 + 1.0 / 1024 / std::sqrt(1 - std::pow(0.96875, t)));
  CHECK(after(*make_adam(optimizer_hparams()), 4, 3) == exactly(expected));
  CHECK(after(*make_adamw(optimizer_hparams()), 4, 3) == exactly(expected));
}

TEST_CASE("RMSprop and Adagrad on a constant gradient: mean g^2 (1 - decay^t), sum t g^2") {
  double rmsprop = 1;
  double adagrad = 1;
  for (int t = 1; t <= 6; ++t) {
    rmsprop += kRate * 2 / (2 * std::sqrt(1 - std::pow(0.9375, t)) + 1.0 / 1024);
    adagrad += kRate * 2 / (2 * std::sqrt(t) + 1.0 / 1024);
  }
  CHECK(after(*make_rmsprop(optimizer_hparams()), 6, -2) == exactly(rmsprop));
  CHECK(after(*make_adagrad(optimizer_hparams()), 6, -2) == exactly(adagrad));
}

TEST_CASE("weight decay alone shrinks the values, and spares what is spared") {
  const HParams hparams = optimizer_hparams(0.5);
  const double shrunk = std::pow(1 - kRate * 0.5, 7);
  CHECK(after(*make_sgd(hparams), 7, 0) == exactly(shrunk));
  CHECK(after(*make_adamw(hparams), 7, 0) == exactly(shrunk));
  CHECK(after(*make_adam(hparams), 1, 0) == exactly(1 - kRate * 0.5 / (0.5 + 1.0 / 1024 / std::sqrt(1 - 0.96875))));
  for (const auto& [name, make] : all_optimizers()) {
    CAPTURE(name);
    CHECK(after(*make(hparams), 7, 0, Optimizer::Decay::spared) == 1);
    CHECK(after(*make(hparams), 3, 2, Optimizer::Decay::spared) ==
          after(*make(optimizer_hparams()), 3, 2, Optimizer::Decay::spared));
    HParams without = optimizer_hparams();
    HParams set_of_plugin;
    for (const auto& [hparam, value] : without.values()) {
      if (hparam != "weight_decay" && hparam != "optimizer_momentum_nesterov") set_of_plugin.set(hparam, value);
    }
    CHECK(after(*make(set_of_plugin), 3, 2) == after(*make(without), 3, 2));
  }
}

// |values| = 5, |gradients| = 10: a step of LARS is as long as rate * trust * 5.
TEST_CASE("LARS: the first step's length is the rate times trust times the variable's") {
  const auto optimizer = make_lars(optimizer_hparams());
  OptimizerRun<double> run(*optimizer, {3, -4});
  run.step([](std::int64_t i) { return i == 0 ? 6.0 : 8.0; }, {.learning_rate = kRate});
  CHECK(run.values()[0] == exactly(3 - kRate * 0.25 * 5 / 10 * 6));
  CHECK(run.values()[1] == exactly(-4 - kRate * 0.25 * 5 / 10 * 8));
}

// At the first step both corrected moments are g and g^2, so r is g / (|g| + epsilon), of length sqrt(2) 2 / (2 + e).
TEST_CASE("LAMB: the first step's length is the rate times the variable's") {
  const auto optimizer = make_lamb(optimizer_hparams());
  OptimizerRun<double> run(*optimizer, {3, -4});
  run.step([](std::int64_t i) { return i == 0 ? 2.0 : -2.0; }, {.learning_rate = kRate});
  CHECK(run.values()[0] == exactly(3 - kRate * 5 / std::sqrt(2.0)));
  CHECK(run.values()[1] == exactly(-4 + kRate * 5 / std::sqrt(2.0)));
}

TEST_CASE("a variable that is all zero still learns from layer-wise optimizers") {
  for (auto make : {make_lamb, make_lars}) {
    const auto optimizer = make(optimizer_hparams(0.5));
    OptimizerRun<double> run(*optimizer, {0, 0});
    run.step([](std::int64_t) { return 2.0; }, {.learning_rate = kRate});
    CHECK(run.values()[0] < -kRate / 2);
    run.step([](std::int64_t) { return 0.0; }, {.learning_rate = kRate, .number = 2});
    CHECK(std::isfinite(run.values()[1]));
  }
}

TEST_CASE("the optimizers say whether they may be cut") {
  for (const auto& [name, make] : all_optimizers()) {
    CHECK_MESSAGE(make(optimizer_hparams())->sliceable() == (name != "lamb" && name != "lars" && name != "adafactor"),
                  name);
  }
}

TEST_CASE("hparams out of range are refused by name") {
  const double infinity = std::numeric_limits<double>::infinity();
  const struct {
    const char* hparam;
    OptimizerMaker make;
    double value;
    const char* message;
  } cases[] = {
      {"weight_decay", make_sgd, -0.1, "hparam weight_decay is -0.1"},
      {"weight_decay", make_lamb, infinity, "hparam weight_decay is inf"},
      {"optimizer_momentum_momentum", make_momentum, 1, "hparam optimizer_momentum_momentum is 1;"},
      {"optimizer_momentum_momentum", make_lars, NAN, "hparam optimizer_momentum_momentum is nan"},
      {"optimizer_adam_beta1", make_adam, -0.1, "hparam optimizer_adam_beta1 is -0.1"},
      {"optimizer_adam_beta2", make_adamw, 1.5, "hparam optimizer_adam_beta2 is 1.5"},
      {"optimizer_adam_epsilon", make_lamb, 0, "hparam optimizer_adam_epsilon is 0;"},
      {"optimizer_rmsprop_decay", make_rmsprop, 1, "hparam optimizer_rmsprop_decay is 1;"},
      {"optimizer_rmsprop_epsilon", make_rmsprop, -1, "hparam optimizer_rmsprop_epsilon is -1;"},
      {"optimizer_adagrad_epsilon", make_adagrad, infinity, "hparam optimizer_adagrad_epsilon is inf"},
      {"optimizer_lars_trust", make_lars, 0, "hparam optimizer_lars_trust is 0;"},
      {"optimizer_adafactor_memory_exponent", make_adafactor, 1, "hparam optimizer_adafactor_memory_exponent is 1;"},
      {"optimizer_adafactor_clipping_threshold", make_adafactor, -1,
       "hparam optimizer_adafactor_clipping_threshold is -1;"},
  };
  for (const auto& [hparam, make, value, message] : cases) {
    CAPTURE(message);
    HParams hparams = optimizer_hparams();
    hparams.set(hparam, value);
    CHECK_THROWS_WITH_AS(make(hparams), doctest::Contains(message), Error);
  }
}

}  // namespace
}  // namespace lockstep
