#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lockstep {

// Decodes base64 (RFC 4648) in the usual or the URL-safe alphabet; the = at the end may be missing. Skips blanks, line
// ends and backslashes, which shells leave in variables. Returns nothing for any other text.
std::optional<std::string> decode_base64(std::string_view text);

// Encodes the bytes in the usual alphabet, with the = at the end.
std::string encode_base64(std::span<const std::byte> bytes);

}  // namespace lockstep
