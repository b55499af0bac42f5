#include "optim/linear_scaling.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/hparams_range.h"

namespace lockstep {
namespace {

constexpr const char* kReference = "learning_rate_reference_batch";
constexpr std::int64_t kWarmupEpochs = 5;  // Goyal et al. 2017, section 2.2

}  // namespace

HParams linear_scaling_hparams() { return HParams().set(kReference, std::int64_t{0}); }

LinearScaling::LinearScaling(const HParams& hparams, const Run& run, OtherWarmup other) {
  const std::int64_t reference = integer_or(0, hparams, kReference, 0);
  if (reference == 0) return;
  factor_ = static_cast<double>(run.global_batch) / static_cast<double>(reference);
  description_ = fmt::format("linear scaling: global batch {} / {} = learning rate x {:.4g}", run.global_batch,
                             reference, factor_);
  if (factor_ <= 1) return;
  if (other == OtherWarmup::factor) {
    description_ += ", warmed up by the schedule";
    return;
  }
  const std::int64_t asked = hparams.integer("learning_rate_warmup_steps");
  warmup_steps_ = asked > 0 ? asked : kWarmupEpochs * run.steps_per_epoch;
  description_ += fmt::format(", after a warm-up of {} {}", warmup_steps_, warmup_steps_ == 1 ? "step" : "steps");
  if (warmup_steps_ >= run.train_steps) {
    description_ +=
        fmt::format(", which this run of {} does not finish; set learning_rate_warmup_steps", run.train_steps);
  }
}

double LinearScaling::at(std::int64_t step) const {
  if (warmup_steps_ == 0 || step > warmup_steps_) return factor_;
  const double done = static_cast<double>(std::max<std::int64_t>(step - 1, 0)) / static_cast<double>(warmup_steps_);
  return 1 + (factor_ - 1) * done;
}

}  // namespace lockstep
