#pragma once

#include <optional>
#include <string>

#include "base/json.h"

namespace lockstep {

// A file of reference cases, which lie beside the checkout. Without it the test says so, and gets nothing.
std::optional<Json> reference_cases(const std::string& file_name);

}  // namespace lockstep
