#include "support/another_value.h"

namespace lockstep {

std::string another_value(const TrainSetting& setting) {
  if (setting.name == "strategy") return "model_averaging";  // an existing one,
  if (setting.name == "model") return "linear";              // as in the next lines
  if (setting.name == "hparams_set") return "convnet";
  if (setting.name == "hparams") return "batch_size=3";
  if (setting.name == "collective") return "mpi";
  if (setting.name == "problem") return "image_mnist";
  if (!setting.choices.empty()) return std::string(setting.choices[1]);
  if (setting.placeholder.empty()) return "true";
  for (const char* text : {"7", "0.5", "a/b \"c\", d", "a,b"}) {
    TrainSettings settings;
    if (assign(setting, text, settings).empty() && value_text(setting, settings) != value_text(setting, {}))
      return text;
  }
  return "";
}

}  // namespace lockstep
