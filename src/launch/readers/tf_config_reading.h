#pragma once

#include <optional>

#include "base/json.h"
#include "launch/readers/python_error.h"

namespace lockstep {

// What a reader makes of TF_CONFIG where it can refuse it and still know some of the values.
struct TfConfigReading {
  Json::Object fields;  // by name: a value or, if to ask for it raises, {"error": {"type": ..., "message": ...}}
  std::optional<PythonError> refusal{};
};

}  // namespace lockstep
