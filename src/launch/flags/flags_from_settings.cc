#include "launch/flags/flags_from_settings.h"

#include <list>
#include <string>

#include "train/config/train_setting.h"

namespace lockstep {
namespace {

struct TrainFlags {
  std::list<std::string> defaults;  // the flags refer to these
  std::vector<Flag> flags;

  TrainFlags() {
    for (const TrainSetting& setting : train_settings()) {
      defaults.push_back(value_text(setting, {}).value_or(std::string(setting.if_unset)));
      flags.push_back({setting.topic, setting.name, setting.placeholder, defaults.back(), setting.help, setting.alias,
                       setting.prefix, setting.hint == nullptr ? "" : setting.hint("")});
    }
  }
};

}  // namespace

std::span<const Flag> flags_from_settings() {
  static const TrainFlags kFlags;
  return kFlags.flags;
}

}  // namespace lockstep
