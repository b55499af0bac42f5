// config.json: the settings of a run as flags that --config reads back.
#include <fmt/format.h>

#include <stdexcept>

#include "base/error.h"
#include "base/hparams_json.h"
#include "base/json.h"
#include "train/run_config.h"

namespace lockstep {
namespace {

// One line of the file.
std::string line_of(const std::string& indentation, const std::string& name, const Json& value) {
  try {
    return fmt::format("{}{}: {}", indentation, Json(name).text(), value.text());
  } catch (const std::invalid_argument&) {
    throw Error(ExitCode::configuration,
                fmt::format("the value of --{} is not UTF-8, and so cannot be written into config.json; give the file "
                            "or folder another name, or a link to it",
                            name));
  }
}

std::string lines_of(const std::string& indentation, const Json::Object& object) {
  std::string text;
  for (const auto& [name, value] : object) {
    if (!text.empty()) text += ",\n";
    text += line_of(indentation, name, value);
  }
  return text;
}

class Flags {
 public:
  template <class T>
  void add(const char* flag, const T& value) {
    flags_.emplace_back(flag, value);
  }
  void add(const char* flag, std::chrono::seconds time) { flags_.emplace_back(flag, std::int64_t{time.count()}); }
  template <class T>
  void add(const char* flag, const std::optional<T>& value) {
    if (value) add(flag, *value);
  }
  void add_filled(const char* flag, const std::string& value) {
    if (!value.empty()) add(flag, value);
  }
  const Json::Object& object() const { return flags_; }

 private:
  Json::Object flags_;
};

void add_agreement(const TrainSettings& settings, Flags& flags) {
  flags.add("strategy", settings.strategy);
  flags.add("global_batch_size", settings.global_batch_size);
  if (settings.strategy == "model_averaging") {
    flags.add("sync_every", settings.sync_every);
    return;
  }
  if (settings.micro_shards) {
    flags.add("exact", true);
    flags.add("micro_shards", *settings.micro_shards);
  }
  flags.add("fusion_mb", settings.fusion_mb);
  flags.add("overlap", settings.overlap == Overlap::thread ? "thread" : "inline");
}

}  // namespace

std::string config_json(const TrainSettings& settings, const HParams& hparams) {
  Flags flags;
  flags.add("problem", settings.problem);
  flags.add_filled("data_dir", settings.data_dir);
  flags.add("model", settings.model);
  flags.add_filled("hparams_set", settings.hparams_set);
  flags.add_filled("usr_lib", settings.usr_lib);
  flags.add("train_steps", settings.train_steps);
  flags.add("train_epochs", settings.train_epochs);
  flags.add("eval_steps", settings.eval_steps);
  flags.add("local_eval_frequency", settings.eval_frequency);
  flags.add("stop_after", settings.stop_after);
  flags.add("random_seed", static_cast<std::int64_t>(settings.seed));
  flags.add("ema", settings.ema);
  add_agreement(settings, flags);
  flags.add_filled("output_dir", settings.output_dir);
  if (!settings.output_dir.empty()) {
    flags.add("save_checkpoints_steps", settings.save_steps);
    flags.add("save_checkpoints_secs", settings.save_time);
    flags.add("keep_checkpoint_max", settings.keep_checkpoints);
  }
  flags.add("log_every", settings.log_every);

  const Json resolved = parse_json(hparams_to_json(hparams));
  return fmt::format("{{\n{},\n  \"hparams\": {{\n{}\n  }}\n}}\n", lines_of("  ", flags.object()),
                     lines_of("    ", *resolved.as<Json::Object>()));
}

}  // namespace lockstep
