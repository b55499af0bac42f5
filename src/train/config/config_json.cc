// config.json: the settings of a run as flags that --config reads back.
#include <fmt/format.h>

#include <stdexcept>

#include "base/error.h"
#include "base/hparams_json.h"
#include "base/json.h"
#include "train/config/result_config.h"

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

}  // namespace

std::string config_json(const TrainSettings& settings, std::span<const TrainSetting* const> in_use,
                        const HParams& hparams, const StartNote& start) {
  Json::Object flags;
  flags.emplace_back(
      std::string(kStartNoteKey),
      Json::Object{{"version", LOCKSTEP_VERSION}, {"ranks", start.ranks}, {"global_batch", start.global_batch}});
  for (const TrainSetting* const setting : in_use) {
    // The overrides are among the hparams that follow.
    if (setting->kept != Kept::in_config_json || setting->field == SettingField(&TrainSettings::hparams)) continue;
    if (auto value = value_json(*setting, settings)) flags.emplace_back(setting->name, std::move(*value));
  }
  const Json resolved = parse_json(hparams_to_json(hparams));
  return fmt::format("{{\n{},\n  \"hparams\": {{\n{}\n  }}\n}}\n", lines_of("  ", flags),
                     lines_of("    ", *resolved.as<Json::Object>()));
}

}  // namespace lockstep
