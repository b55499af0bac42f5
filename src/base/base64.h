#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lockstep {

// What a text in base64 (RFC 4648) stands for, in the usual alphabet or the URL-safe one; the = at the end may be
// missing. Blanks, line ends and backslashes, which shells leave in variables, are passed over. Nothing for any other
// text.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace lockstep
