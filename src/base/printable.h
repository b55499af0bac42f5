#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Makes text that may come from outside (a flag, a name in a file, another library's message) fit to be printed:
// characters that would steer a terminal, end a line or end the message (ESC, a NUL) are shown as \x1b or \n, and so
// are bytes that are not UTF-8 and characters that turn the direction of writing.
// Pure; any thread.
namespace lockstep {

inline constexpr std::size_t kMaxEscapedBytes = 200;
inline constexpr std::size_t kMaxMessageBytes = 16 << 10;

// One text within a message: on one line; a long one is cut to its first kMaxEscapedBytes and its length.
std::string escaped(std::string_view text);
// The same between quotes: 'text'.
std::string in_quotes(std::string_view text);

// A whole message, with its line breaks and tabs. Beyond `most` bytes it is cut to its beginning and its end, where the
// cure stands. Every Error, and every line of a Log, has gone through it.
std::string printable_message(std::string_view message, std::size_t most = kMaxMessageBytes);

}  // namespace lockstep
