#pragma once

#include <optional>
#include <string>

namespace lockstep {

// Result of python/lockstep_tf_config.py, which imitates TensorFlow's readers of TF_CONFIG.
struct PythonReading {
  std::string json;     // a line; "" if nothing can be known
  std::string refusal;  // the exception's type and message; "" if the reader takes TF_CONFIG
};

// Runs that program with python3 for one of its readers. tf_config: the variable's value; nothing: the variable is not
// set, in this process's environment either. Throws Error, missing_input: there is no python3, or the file is not where
// it belongs; internal: Python itself fails.
PythonReading read_with_python(const std::string& reader, const std::optional<std::string>& tf_config);

}  // namespace lockstep
