#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace lockstep {

// A duration as people write it on a command line: "90s", "30m", "1h30m", "2d", "HH:MM:SS" ("1:30:00") or plain seconds
// ("90"). Units go from large to small, each at most once, with whole numbers; after a larger unit they stay below 24
// h, 60 m and 60 s, as on a clock. Returns nothing if the text is none of these or too long for 64 bits.
std::optional<std::chrono::seconds> parse_duration(std::string_view text);

// Examples of what parse_duration() takes, for messages.
inline constexpr const char* kDurationForms = "90s, 30m, 1h30m, HH:MM:SS or plain seconds";

}  // namespace lockstep
