#include "optim/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"
#include "base/nearest.h"

namespace lockstep {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else if (c != ' ') {
      parts.back() += c;
    }
  }
  return parts;
}

// Rises linearly and reaches 1 at the last warm-up step: min(1, step / warmup).
double linear_warmup(std::int64_t step, std::int64_t warmup) {
  return warmup == 0 ? 1 : std::min(1.0, static_cast<double>(step) / static_cast<double>(warmup));
}

// Loshchilov and Hutter 2017 (SGDR), equation 5, one period down to 0: 1 before the first step, 0 after the last.
double cosine(std::int64_t step, std::int64_t train_steps) {
  const double done = static_cast<double>(step - 1) / static_cast<double>(train_steps);
  return 0.5 * (1 + std::cos(std::numbers::pi * std::clamp(done, 0.0, 1.0)));
}

}  // namespace

const std::vector<std::string>& Schedule::factors() {
  static const std::vector<std::string> kFactors{"constant", "linear_warmup", "cosine"};
  return kFactors;
}

Schedule::Schedule(const HParams& hparams, const Run& run) : learning_rate_(hparams.number("learning_rate")) {
  if (!(learning_rate_ >= 0 && std::isfinite(learning_rate_))) {
    throw Error(ExitCode::usage,
                fmt::format("hparam learning_rate is {}; it has to be a number of at least 0", learning_rate_),
                Scope::every_rank);
  }
  const std::int64_t warmup = hparams.integer("learning_rate_warmup_steps");
  if (warmup < 0) {
    throw Error(ExitCode::usage,
                fmt::format("hparam learning_rate_warmup_steps is {}; it has to be at least 0", warmup),
                Scope::every_rank);
  }
  for (const std::string& factor : split(hparams.text("learning_rate_schedule"), '*')) {
    if (factor == "constant") continue;
    if (factor == "linear_warmup") {
      factors_.emplace_back([warmup](std::int64_t step) { return linear_warmup(step, warmup); });
    } else if (factor == "cosine") {
      factors_.emplace_back([run](std::int64_t step) { return cosine(step, run.train_steps); });
    } else {
      throw Error(ExitCode::usage,
                  fmt::format("hparam learning_rate_schedule has no factor '{}'{}; it is a product such as "
                              "constant*linear_warmup*cosine",
                              factor, did_you_mean(factor, factors())),
                  Scope::every_rank);
    }
  }
}

double Schedule::at(std::int64_t step) const {
  double rate = learning_rate_;
  for (const auto& factor : factors_) rate *= factor(step);
  return rate;
}

}  // namespace lockstep
