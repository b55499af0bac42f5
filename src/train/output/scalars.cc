#include "train/output/scalars.h"

#include <limits>

namespace lockstep {
namespace {

std::optional<double> number_in(const Json& value) {
  if (const auto* const whole = value.as<std::int64_t>()) return static_cast<double>(*whole);
  if (const auto* const any = value.as<double>()) return *any;
  if (value.as<std::monostate>() != nullptr) return std::numeric_limits<double>::quiet_NaN();
  return {};
}

}  // namespace

std::optional<Scalars> scalars_of(const Json& line) {
  const Json* const kind = line.find("kind");
  const Json* const step = line.find("step");
  if (kind == nullptr || step == nullptr || step->as<std::int64_t>() == nullptr) return {};
  Scalars scalars{.step = *step->as<std::int64_t>()};
  if (*kind == Json("eval")) {
    const Json* const split = line.find("split");
    if (split == nullptr || split->as<std::string>() == nullptr) return {};
    scalars.split = *split->as<std::string>();
  } else if (*kind != Json("train")) {
    return {};
  }
  for (const auto& [name, value] : *line.as<Json::Object>()) {
    const std::optional<double> number = number_in(value);
    if (!number || name == "step") continue;
    if (name == "wall_seconds") {
      scalars.wall_seconds = *number;
    } else {
      scalars.values.emplace_back(name, *number);
    }
  }
  return scalars;
}

}  // namespace lockstep
