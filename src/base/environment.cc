#include "base/environment.h"

#include <cstdlib>

#include "base/whole_number.h"

namespace lockstep {

Environment process_environment() {
  return [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

std::optional<int> count_in(const Environment& environment, const char* name) {
  const std::optional<std::string> text = environment(name);
  return text ? parse_digits<int>(*text) : std::nullopt;
}

}  // namespace lockstep
