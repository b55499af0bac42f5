#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace lockstep {

inline constexpr std::size_t kMaxPythonJsonBytes = 8 << 20;

struct PythonDocument {
  Json value;
  std::vector<std::string> warnings{};  // of a name that stands in an object twice
};

// json.loads(text): of equal names the last value counts, which is a warning. Throws PythonError, JSONDecodeError, also
// for what Python would take and we do not: more than kMaxJsonDepth levels, more than kMaxPythonJsonBytes, NaN,
// Infinity, numbers beyond a float64, and halves of surrogate pairs.
PythonDocument python_json(std::string_view text);

}  // namespace lockstep
