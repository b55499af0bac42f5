#include "optim/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/hparams_range.h"

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

std::vector<std::string> factor_names(const HParams& hparams) {
  check_schedule_hparams(hparams);
  return split(hparams.text("learning_rate_schedule"), '*');
}

// Says whether a factor rises over learning_rate_warmup_steps; with 0 steps it is no warm-up.
LinearScaling::OtherWarmup warmup_of(const HParams& hparams) {
  const std::vector<std::string> names = factor_names(hparams);
  const bool rises = hparams.integer("learning_rate_warmup_steps") > 0 && std::ranges::any_of(names, warms_up);
  return rises ? LinearScaling::OtherWarmup::factor : LinearScaling::OtherWarmup::none;
}

constexpr const char* kRootOfWorkers = "learning_rate_root_of_workers";

double root_of_workers(const HParams& hparams, const Schedule::Run& run) {
  return boolean_or(false, hparams, kRootOfWorkers) ? std::sqrt(static_cast<double>(run.workers)) : 1;
}

}  // namespace

HParams schedule_hparams() {
  return HParams()
      .set("learning_rate", 0.001)
      .set("learning_rate_schedule", std::string("constant*linear_warmup*cosine"))
      .set(schedule_factor_hparams())
      .set(linear_scaling_hparams())
      .set(kRootOfWorkers, false);
}

Schedule::Schedule(const HParams& hparams, const Run& run)
    : root_of_workers_(root_of_workers(hparams, run)),
      learning_rate_(number_in(hparams, "learning_rate", 0) / root_of_workers_),
      scaling_(hparams, run, warmup_of(hparams)) {
  for (const std::string& name : factor_names(hparams)) {
    factors_.push_back(make_schedule_factor(name, hparams, run.train_steps));
  }
}

std::string Schedule::description() const {
  if (root_of_workers_ == 1) return scaling_.description();
  return fmt::format("{}{}learning rate divided by {:.4g}, the square root of the number of ranks that train",
                     scaling_.description(), scaling_.description().empty() ? "" : "; ", root_of_workers_);
}

double Schedule::at(std::int64_t step) const {
  double rate = learning_rate_ * scaling_.at(step);
  for (const ScheduleFactor& factor : factors_) rate *= factor(step);
  return rate;
}

}  // namespace lockstep
