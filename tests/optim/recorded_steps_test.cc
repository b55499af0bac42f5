#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "optim/optimizer_run.h"

// Five steps of each optimizer against values of an independent float64 computation: numpy 1.24, written from the
// papers' formulas. The first seven also agree to 5e-16 with torch 1.13's float64 SGD, Adam, AdamW, RMSprop and Adagrad
// (for Adam with torch's epsilon set to epsilon / sqrt(1 - beta2^t), because it corrects v before adding it).
namespace lockstep {
namespace {

using Values = std::array<double, 6>;

constexpr Values kStart{0.5, -1.25, 2.0, 0.0, -0.75, 1.5};
constexpr std::array<double, 5> kRates{0.1, 0.05, 0.1, 0.025, 0.2};

struct Recorded {
  const char* optimizer;
  Values decayed;  // with weight_decay 0.125
  Values spared;
};

constexpr Recorded kRecorded[] = {
    {"sgd",
     {0.4838135760116577, -1.028867198085785, 1.8152185055541992, 0.12910763595581054, -0.9916907621192932,
      1.460512565498352},
     {0.5125000000000002, -1.10625, 1.93125, 0.13125, -1.0374999999999999, 1.5499999999999998}},
    {"momentum",
     {0.5034017504501342, -1.116624133205414, 1.6239653561401366, 0.3371403141784668, -0.9663809949684143,
      1.4577039198684694},
     {0.5716796875, -1.2981445312500002, 1.88466796875, 0.34599609375, -1.0738281250000001, 1.658984375}},
    {"nesterov",
     {0.487800865199007, -0.9219901791498994, 1.5404850951650737, 0.3768802124531567, -1.15104257079741,
      1.4295644424192235},
     {0.566259765625, -1.1423583984374999, 1.8447509765625, 0.3907470703125, -1.2803710937500001, 1.66923828125}},
    {"adam",
     {0.5639245147114331, -1.293944407575235, 1.7350383841765065, 0.22298948165544175, -0.872445182377231,
      1.3674266818370302},
     {0.6027792100240935, -1.361321441645758, 1.832359711459326, 0.22833738326625216, -0.9134765253986541,
      1.546169739890188}},
    {"adamw",
     {0.5699036376204631, -1.283100198823788, 1.7224491300444726, 0.22247879878902568, -0.8658431437954616,
      1.4595009272490589},
     {0.6027792100240935, -1.361321441645758, 1.832359711459326, 0.22833738326625216, -0.9134765253986541,
      1.546169739890188}},
    {"rmsprop",
     {0.5750405813200479, -0.9309634455007083, 1.2825592680034794, 0.3967676348792295, -1.4152226547279694,
      1.0283510167397003},
     {0.6573651886237183, -1.0779010203431505, 1.4350900171233945, 0.4306722901061414, -1.5049600214496275,
      1.542970463063824}},
    {"adagrad",
     {0.5207869684897422, -1.1811529261975446, 1.8175417222769965, 0.10437156627880521, -0.9143049755925926,
      1.3763326293431772},
     {0.5391236542374818, -1.214434558875073, 1.8609487567461502, 0.10658807067311918, -0.9323273889075878,
      1.5118572289585057}},
    {"lamb",
     {0.5142755370884987, -1.1687907733586282, 1.3694999801712209, 0.5364752793621842, -0.9794715399618943,
      1.4977260972706932},
     {0.6036994380881697, -1.3617331347897033, 1.830349770659522, 0.2293038738404255, -0.914023833326987,
      1.5461639726675929}},
    {"lars",
     {0.4800370258689021, -1.2245753829032344, 1.8969704710321378, 0.07151390741447079, -0.8447006698492415,
      1.4884473525777067},
     {0.4808593750000001, -1.31162109375, 1.9291992187499998, 0.21005859375000002, -1.132421875, 1.6583984375}},
    {"adafactor",
     {0.501972359842623, -1.0587037709559222, 1.7522686828096472, 0.09846641495061613, -0.9114429436787098,
      1.4078527231249847},
     {0.5319601816231063, -1.1279336217899862, 1.8632278025506075, 0.10234865400389793, -0.9624513084686125,
      1.4952511729664661}},
};

// Returns multiples of a quarter between -5/4 and 5/4.
double gradient(std::int64_t i, std::int64_t t) { return static_cast<double>((7 * i + 3 * t) % 11 - 5) / 4; }

template <class T>
double largest_error(const Optimizer& optimizer, Optimizer::Decay decay, const Values& expected) {
  OptimizerRun<T> run(optimizer, {kStart.begin(), kStart.end()});
  for (int t = 1; t <= 5; ++t) {
    run.step([t](std::int64_t i) { return gradient(i, t); },
             {.learning_rate = kRates[static_cast<std::size_t>(t - 1)], .number = t, .decay = decay});
  }
  double largest = 0;
  const std::vector<T> values = run.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(values[i]) - expected[i]));
  }
  return largest;
}

TEST_CASE("recorded steps") {
  REQUIRE(std::size(kRecorded) == all_optimizers().size());
  for (std::size_t i = 0; i < std::size(kRecorded); ++i) {
    const Recorded& recorded = kRecorded[i];
    const auto& [name, make] = all_optimizers()[i];
    CAPTURE(name);
    REQUIRE(name == recorded.optimizer);
    const auto optimizer = make(optimizer_hparams(0.125));
    CHECK(largest_error<double>(*optimizer, Optimizer::Decay::decayed, recorded.decayed) < 2e-15);
    CHECK(largest_error<double>(*optimizer, Optimizer::Decay::spared, recorded.spared) < 2e-15);
    CHECK(largest_error<float>(*optimizer, Optimizer::Decay::decayed, recorded.decayed) < 1e-6);
    CHECK(largest_error<float>(*optimizer, Optimizer::Decay::spared, recorded.spared) < 1e-6);
  }
}

}  // namespace
}  // namespace lockstep
