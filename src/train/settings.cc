#include "train/settings.h"

#include <fmt/format.h>

namespace lockstep {

std::string text_of(const TrainSettings& settings) {
  std::string text;
  const auto add = [&](std::string_view flag, const auto& value) { text += fmt::format(" --{}={}", flag, value); };
  const auto add_given = [&](std::string_view flag, const auto& value) {
    if (value) add(flag, *value);
  };
  const auto add_text = [&](std::string_view flag, const std::string& value) {
    if (!value.empty()) add(flag, value);
  };
  add("problem", settings.problem);
  add_text("data_dir", settings.data_dir);
  add("model", settings.model);
  add_text("hparams_set", settings.hparams_set);
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
  add("fusion_mb", settings.fusion_mb);
  return text.substr(1);
}

}  // namespace lockstep
