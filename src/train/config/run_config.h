#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace lockstep {

inline constexpr std::string_view kConfigFile = "config.json";

// The config.json of a run's output_dir, as config_json() wrote it; nothing if there is no such file, or it cannot be
// read or parsed: its readers have another way to know.
std::optional<Json> read_run_config(const std::string& folder);

}  // namespace lockstep
