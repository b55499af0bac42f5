#pragma once

#include <string>
#include <string_view>

namespace lockstep {

// repr() of a text, which is UTF-8: 'it', "it's", 'a line\n'. Of what is not ASCII it escapes the controls, blanks and
// invisible characters that occur in practice, not every one that Python's tables of Unicode know.
std::string python_quoted(std::string_view text);

}  // namespace lockstep
