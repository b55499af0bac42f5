#include "train/config/pace.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/hparams_range.h"

namespace lockstep {
namespace {

constexpr std::int64_t kLeastEvalInterval = 100;

}  // namespace

Pace pace_of(const RunPlan& plan, const Schedule& schedule) {
  const std::int64_t next = plan.batches->from().step + 1;
  return {.next_step = next,
          .global_batch = plan.batches->global_batch(),
          .steps_per_epoch = plan.batches->steps_per_epoch(),
          .train_steps = plan.train_steps,
          .learning_rate = schedule.at(next)};
}

std::string describe_changes(const Pace& before, const Pace& now) {
  std::string text;
  // Compared as shown, so that a change in a digit that is cut off is not reported.
  const auto add = [&text](const std::string& what, const std::string& from, const std::string& to) {
    if (from != to) text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", what, from, to);
  };
  add("global batch", std::to_string(before.global_batch), std::to_string(now.global_batch));
  add("steps per epoch", std::to_string(before.steps_per_epoch), std::to_string(now.steps_per_epoch));
  add("steps in all", std::to_string(before.train_steps), std::to_string(now.train_steps));
  add(fmt::format("learning rate of step {}", now.next_step), fmt::format("{:.3g}", before.learning_rate),
      fmt::format("{:.3g}", now.learning_rate));
  return text;
}

std::int64_t eval_interval(const TrainSettings& settings, std::int64_t train_steps,
                           std::optional<std::int64_t> former) {
  const std::int64_t asked = settings.eval_frequency.value_or(former.value_or(-1));
  if (asked >= 0) return asked == 0 ? 0 : std::max(kLeastEvalInterval, asked);
  const std::int64_t hundreds = (train_steps / 10 + 50) / 100;  // a round number for people
  return std::clamp<std::int64_t>(hundreds, 1, 10) * 100;
}

std::string describe_raised_frequency(const TrainSettings& settings) {
  const std::int64_t given = settings.eval_frequency.value_or(0);
  if (given == 0 || given >= kLeastEvalInterval) return "";
  return fmt::format("--local_eval_frequency={} counts as {}, the least there is", given, kLeastEvalInterval);
}

std::int64_t evaluated_samples(const TrainSettings& settings, const HParams& hparams, const Problem& problem,
                               Split split) {
  constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
  const std::int64_t there = problem.count(split);
  if (!settings.eval_steps) return there;
  const std::int64_t batch = integer_in(hparams, "batch_size", 1);
  const std::int64_t asked = *settings.eval_steps > kAll / batch ? kAll : *settings.eval_steps * batch;
  if (asked == 0 || !problem.shape().has_sequences()) return std::min(asked, there);
  std::int64_t samples = 0;
  std::int64_t tokens = 0;
  while (samples < there) {
    tokens += problem.lengths(split, samples).longest();
    if (tokens > asked && samples > 0) break;
    ++samples;
  }
  return samples;
}

}  // namespace lockstep
