#pragma once

#include <string>
#include <string_view>

namespace lockstep {

// Escapes text, so that a page shows it as it is, also within quotes of an attribute. Pure.
std::string html_escaped(std::string_view text);

// JSON that may stand in a <script> element: no text in it can end the element or begin a comment. Pure.
std::string json_in_html(std::string json);

}  // namespace lockstep
