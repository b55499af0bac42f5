#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/environment.h"

namespace lockstep {

// An environment with these variables and no others.
inline Environment fake_environment(const std::map<std::string, std::string>& variables) {
  return [variables](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

}  // namespace lockstep
