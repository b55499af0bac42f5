#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The environment variables of this process, as an argument, so that code that depends on them can be tested with
// others.
namespace lockstep {

// Reads a variable; nothing if it is not set.
using Environment = std::function<std::optional<std::string>(const char* name)>;

// The environment must not change while one exists: setenv is not thread-safe.
Environment process_environment();

// The texts NAME=value of this process's variables whose names begin with the prefix, sorted.
std::vector<std::string> variables_with_prefix(std::string_view prefix);

// The value of a variable that is a whole number from 0 up; nothing if it is not set or anything else.
std::optional<int> count_in(const Environment& environment, const char* name);

}  // namespace lockstep
