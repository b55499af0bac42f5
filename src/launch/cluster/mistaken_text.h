#pragma once

#include <string>
#include <string_view>

namespace lockstep {

// Describes a text that should be JSON and is not, with the cure: a dictionary as Python prints it, a variable that
// nothing has replaced, the path of a file. "" if it is none of these. source: the variable or flag that holds the
// text. Pure.
std::string what_it_seems(std::string_view text, std::string_view source);

}  // namespace lockstep
