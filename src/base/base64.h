#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lockstep {

// What a text in base64 (RFC 4648) stands for, in the usual alphabet or the URL-safe one; the = at the end may be
// missing. Blanks, line ends and backslashes, which shells leave in variables, are passed over. Nothing for any other
// text.
std::optional<std::string> decode_base64(std::string_view text);

// The bytes in the usual alphabet, with the = at the end.
std::string encode_base64(std::span<const std::byte> bytes);

}  // namespace lockstep
