#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Text that may come from outside (a flag, a name in a file, what another library says) made fit to be printed: what
// would steer a terminal, end a line or end the message (ESC, a NUL) is shown as \x1b, and so is what is not UTF-8, or
// turns the direction of writing.
// Pure; any thread.
namespace lockstep {

inline constexpr std::size_t kMaxEscapedBytes = 200;
inline constexpr std::size_t kMaxMessageBytes = 16 << 10;

// One text within a message: on one line, and of a long one its first kMaxEscapedBytes and how long it is.
std::string escaped(std::string_view text);
// The same between quotes: 'text'.
std::string in_quotes(std::string_view text);

// A whole message: its line breaks and tabs stay. Of one beyond `most` bytes its beginning and its end, where the cure
// stands. Every Error, and every line of a Log, has gone through it.
std::string printable_message(std::string_view message, std::size_t most = kMaxMessageBytes);

}  // namespace lockstep
