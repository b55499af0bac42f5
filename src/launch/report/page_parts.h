#pragma once

#include <string_view>

namespace lockstep {

// page.html, page.css and page.js, as the build puts them into the library. The first is a fmt format with the names
// title, style, tables, curves and script.
extern const std::string_view kPageHtml;
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;

}  // namespace lockstep
