#pragma once

#include <string_view>

namespace lockstep {

// One line on a hyperparameter of a built-in set; "" for another one. docs/training.md says more.
std::string_view hparam_help(std::string_view name);

}  // namespace lockstep
