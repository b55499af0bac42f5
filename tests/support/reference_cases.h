#pragma once

#include <optional>
#include <string>

#include "base/json.h"

namespace lockstep {

// Reads a file of reference cases, kept next to the checkout. If there is none, prints that and returns nothing.
std::optional<Json> reference_cases(const std::string& file_name);

}  // namespace lockstep
