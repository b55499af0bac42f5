#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hparams.h"

// A factor of learning_rate_schedule, which is a product of them. `step` is that of the update, from 1.
//
// A warm-up, and rsqrt_decay, which continues where a warm-up ends, count the step itself: a first step of rate 0 would
// be wasted. The other decays count the steps done before, so that the first has the whole rate. Names, formulas and
// hparams are tensor2tensor's where it has them: constant (learning_rate_constant), linear_warmup, rsqrt_decay,
// rsqrt_hidden_size, exp_decay, legacy (with its learning_rate_decay_scheme noam).
//
// tensor2tensor's step is the number of updates made before, so our first update has the rate of its second one in a
// factor that counts the step itself (except legacy, where it adds 1 as well). tensor2tensor counts batches, and
// divides its step by the batches that an update accumulates; a step here is an update already.
namespace lockstep {

using ScheduleFactor = std::function<double(std::int64_t step)>;

const std::vector<std::string>& schedule_factor_names();

// Returns whether a factor rises over learning_rate_warmup_steps.
bool warms_up(std::string_view name);

// The hyperparameters of the factors, with their defaults: learning_rate_constant, _warmup_steps, _decay_... They do
// not include hidden_size, a model's, which rsqrt_hidden_size and noam read.
HParams schedule_factor_hparams();

// Throws Error(usage) on an unknown name (names the nearest), and on an hparam of the factor that is missing or wrong.
ScheduleFactor make_schedule_factor(std::string_view name, const HParams& hparams, std::int64_t train_steps);

// Throws Error(usage) on a number of any factor, but for hidden_size, that is out of range, used or not.
void check_schedule_hparams(const HParams& hparams);

}  // namespace lockstep
