#include "train/config/run_config.h"

#include <filesystem>

#include "base/error.h"
#include "base/input_file.h"

namespace lockstep {

std::optional<Json> read_run_config(const std::string& folder) {
  try {
    std::optional<InputFile> file = InputFile::if_there((std::filesystem::path(folder) / kConfigFile).string());
    return file ? std::optional(parse_json(file->read_all())) : std::nullopt;
  } catch (const Error&) {
    return {};
  } catch (const JsonError&) {
    return {};
  }
}

}  // namespace lockstep
