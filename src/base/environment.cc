#include "base/environment.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/whole_number.h"

namespace lockstep {

Environment process_environment() {
  return [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

std::vector<std::string> variables_with_prefix(std::string_view prefix) {
  std::vector<std::string> found;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    if (std::string_view(*variable).starts_with(prefix)) found.emplace_back(*variable);
  }
  std::ranges::sort(found);
  return found;
}

std::optional<int> count_in(const Environment& environment, const char* name) {
  const std::optional<std::string> text = environment(name);
  return text ? parse_digits<int>(*text) : std::nullopt;
}

}  // namespace lockstep
