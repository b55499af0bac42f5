#pragma once

#include <string_view>

namespace lockstep {

// What a hyperparameter of a built-in set is, in a line; "" of another one. docs/training.md says more.
std::string_view hparam_help(std::string_view name);

}  // namespace lockstep
