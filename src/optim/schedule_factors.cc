#include "optim/schedule_factors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"
#include "base/hparams_range.h"
#include "base/nearest.h"

namespace lockstep {
namespace {

double quotient(std::int64_t a, std::int64_t b) { return static_cast<double>(a) / static_cast<double>(b); }

std::int64_t warmup_steps(const HParams& hparams) { return integer_in(hparams, "learning_rate_warmup_steps", 0); }
std::int64_t decay_steps(const HParams& hparams) { return integer_in(hparams, "learning_rate_decay_steps", 1); }
double decay_rate(const HParams& hparams) { return number_in(hparams, "learning_rate_decay_rate", 0, 1000); }
double cosine_end(const HParams& hparams) { return number_or(0, hparams, "learning_rate_cosine_end", 0, 1); }
double constant_rate(const HParams& hparams) { return number_in(hparams, "learning_rate_constant", 0, 1e9); }

// learning_rate_constant, or 1 if the set lacks it and gives the rate in learning_rate alone.
ScheduleFactor constant(const HParams& hparams, std::int64_t /*train_steps*/) {
  const double value = hparams.has("learning_rate_constant") ? constant_rate(hparams) : 1;
  return [value](std::int64_t /*step*/) { return value; };
}

// min(1, step / warmup): 1 from the last warm-up step on.
ScheduleFactor linear_warmup(const HParams& hparams, std::int64_t /*train_steps*/) {
  const std::int64_t warmup = warmup_steps(hparams);
  return [warmup](std::int64_t step) { return step >= warmup ? 1 : quotient(step, warmup); };
}

// Loshchilov and Hutter 2017 (SGDR), equation 5, one period over the run, down to learning_rate_cosine_end after the
// last step.
ScheduleFactor cosine(const HParams& hparams, std::int64_t train_steps) {
  return [train_steps, end = cosine_end(hparams)](std::int64_t step) {
    const double part = std::clamp(quotient(step - 1, train_steps), 0.0, 1.0);
    return end + (1 - end) * 0.5 * (1 + std::cos(std::numbers::pi * part));
  };
}

// cosine() over the steps after the warm-up alone, as in nanoGPT.
ScheduleFactor cosine_after_warmup(const HParams& hparams, std::int64_t train_steps) {
  const std::int64_t warmup = warmup_steps(hparams);
  const ScheduleFactor after = cosine(hparams, std::max<std::int64_t>(train_steps - warmup, 1));
  return [warmup, after](std::int64_t step) { return after(step - warmup); };
}

// 1 / sqrt(max(step, warmup)): Vaswani et al. 2017, section 5.3, with linear_warmup.
ScheduleFactor rsqrt_decay(const HParams& hparams, std::int64_t /*train_steps*/) {
  const std::int64_t warmup = std::max<std::int64_t>(warmup_steps(hparams), 1);
  return [warmup](std::int64_t step) { return 1 / std::sqrt(static_cast<double>(std::max(step, warmup))); };
}

// The same paper's dependence on the model's width.
ScheduleFactor rsqrt_hidden_size(const HParams& hparams, std::int64_t /*train_steps*/) {
  const double value = 1 / std::sqrt(static_cast<double>(integer_in(hparams, "hidden_size", 1)));
  return [value](std::int64_t /*step*/) { return value; };
}

// The same paper's equation 3 in one factor, as in tensor2tensor's older sets: 5000 / sqrt(hidden_size) *
// min(1 / sqrt(step), step / warmup^1.5), times 0.002 for an Adam.
ScheduleFactor noam(const HParams& hparams, std::int64_t /*train_steps*/) {
  const bool adam = hparams.has("optimizer") && hparams.text("optimizer").find("adam") != std::string::npos;
  const double scale =
      5000 * (adam ? 0.002 : 1) / std::sqrt(static_cast<double>(integer_in(hparams, "hidden_size", 1)));
  const double rise = std::pow(static_cast<double>(std::max<std::int64_t>(warmup_steps(hparams), 1)), -1.5);
  return [scale, rise](std::int64_t step) {
    const auto s = static_cast<double>(std::max<std::int64_t>(step, 1));
    return scale * std::min(1 / std::sqrt(s), s * rise);
  };
}

// decay_rate ^ floor(done / decay_steps): He et al. 2016, section 3.4, divide the rate by 10 at intervals.
ScheduleFactor step_decay(const HParams& hparams, std::int64_t /*train_steps*/) {
  return [rate = decay_rate(hparams), every = decay_steps(hparams)](std::int64_t step) {
    const std::int64_t drops = std::max<std::int64_t>(step - 1, 0) / every;
    return std::pow(rate, static_cast<double>(drops));
  };
}

// decay_rate ^ (done / decay_steps), counted from the end of the warm-up, in whole powers with
// learning_rate_decay_staircase.
ScheduleFactor exp_decay(const HParams& hparams, std::int64_t /*train_steps*/) {
  constexpr const char* kStaircase = "learning_rate_decay_staircase";
  const bool staircase = boolean_or(false, hparams, kStaircase);
  return [rate = decay_rate(hparams), every = decay_steps(hparams), warmup = warmup_steps(hparams),
          staircase](std::int64_t step) {
    const double periods = std::max(0.0, quotient(step - 1 - warmup, every));
    return std::pow(rate, staircase ? std::floor(periods) : periods);
  };
}

struct NamedFactor {
  const char* name;
  ScheduleFactor (*make)(const HParams&, std::int64_t train_steps);
  bool warms_up = false;  // rises over learning_rate_warmup_steps
};

constexpr NamedFactor kFactors[] = {
    {"constant", constant},       {"linear_warmup", linear_warmup, true},
    {"cosine", cosine},           {"cosine_after_warmup", cosine_after_warmup},
    {"rsqrt_decay", rsqrt_decay}, {"rsqrt_hidden_size", rsqrt_hidden_size},
    {"noam", noam, true},         {"legacy", noam, true},  // tensor2tensor's name
    {"step_decay", step_decay},   {"exp_decay", exp_decay},
    {"exponential", exp_decay},  // the usual name outside tensor2tensor
};

}  // namespace

const std::vector<std::string>& schedule_factor_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const NamedFactor& factor : kFactors) names.emplace_back(factor.name);
    return names;
  }();
  return kNames;
}

HParams schedule_factor_hparams() {
  return HParams()
      .set("learning_rate_constant", 1.0)
      .set("learning_rate_warmup_steps", std::int64_t{0})
      .set("learning_rate_cosine_end", 0.0)
      .set("learning_rate_decay_steps", std::int64_t{5000})
      .set("learning_rate_decay_rate", 0.1)
      .set("learning_rate_decay_staircase", false);
}

bool warms_up(std::string_view name) {
  return std::ranges::any_of(kFactors,
                             [&](const NamedFactor& factor) { return name == factor.name && factor.warms_up; });
}

ScheduleFactor make_schedule_factor(std::string_view name, const HParams& hparams, std::int64_t train_steps) {
  for (const NamedFactor& factor : kFactors) {
    if (name == factor.name) return factor.make(hparams, train_steps);
  }
  throw Error(ExitCode::usage,
              fmt::format("hparam learning_rate_schedule has no factor '{}'{}; it is a product of {}, such as "
                          "constant*linear_warmup*cosine",
                          name, did_you_mean(name, schedule_factor_names()), fmt::join(schedule_factor_names(), ", ")),
              Scope::every_rank);
}

void check_schedule_hparams(const HParams& hparams) {
  warmup_steps(hparams);
  cosine_end(hparams);
  if (hparams.has("learning_rate_constant")) constant_rate(hparams);
  if (hparams.has("learning_rate_decay_steps")) decay_steps(hparams);
  if (hparams.has("learning_rate_decay_rate")) decay_rate(hparams);
}

}  // namespace lockstep
