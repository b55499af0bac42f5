#include "train/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/hparams_json.h"

namespace lockstep {

std::int64_t eval_frequency(const TrainSettings& settings) {
  return settings.eval_frequency == 0 ? 0 : std::max<std::int64_t>(100, settings.eval_frequency);
}

std::int64_t save_frequency(const TrainSettings& settings) {
  constexpr std::int64_t kUsual = 1000;
  if (settings.save_steps) return *settings.save_steps;
  if (settings.save_time) return 0;
  return settings.eval_frequency == 0 ? kUsual : eval_frequency(settings);
}

std::string text_of(const TrainSettings& settings) {
  std::string text;
  const auto add = [&](std::string_view flag, const auto& value) { text += fmt::format(" --{}={}", flag, value); };
  const auto add_given = [&](std::string_view flag, const auto& value) {
    if (value) add(flag, *value);
  };
  const auto add_text = [&](std::string_view flag, const std::string& value) {
    if (!value.empty()) add(flag, value);
  };
  const auto add_time = [&](std::string_view flag, const std::optional<std::chrono::seconds>& time) {
    if (time) add(flag, time->count());
  };
  add("problem", settings.problem);
  add_text("data_dir", settings.data_dir);
  add("model", settings.model);
  add_text("hparams_set", settings.hparams_set);
  // As --config would have them; they come before the overrides.
  if (!settings.config_hparams.values().empty()) add("config", hparams_to_json(settings.config_hparams));
  add_text("hparams", settings.hparams);
  add_text("usr_lib", settings.usr_lib);
  add_text("output_dir", settings.output_dir);
  add_given("train_steps", settings.train_steps);
  add_given("train_epochs", settings.train_epochs);
  add_given("eval_steps", settings.eval_steps);
  add("local_eval_frequency", settings.eval_frequency);
  add("random_seed", settings.seed);
  add_given("ema", settings.ema);
  add("strategy", settings.strategy);
  if (settings.strategy == "model_averaging") add("sync_every", settings.sync_every);
  add_given("global_batch_size", settings.global_batch_size);
  if (settings.micro_shards) text += fmt::format(" --exact --micro_shards={}", *settings.micro_shards);
  add_given("fusion_mb", settings.fusion_mb);
  add_time("stop_after", settings.stop_after);
  if (settings.output_dir.empty()) return text.substr(1);
  add_given("save_checkpoints_steps", settings.save_steps);
  add_time("save_checkpoints_secs", settings.save_time);
  add("keep_checkpoint_max", settings.keep_checkpoints);
  if (settings.resume_previous) add("resume", "previous");
  if (!settings.allow_changes.empty()) add("allow_changes", fmt::format("{}", fmt::join(settings.allow_changes, ",")));
  return text.substr(1);
}

}  // namespace lockstep
