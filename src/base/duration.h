#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace lockstep {

// A length of time as people write it on a command line: "90s", "30m", "1h30m", "2d", "HH:MM:SS" ("1:30:00") or plain
// seconds ("90"). Units from large to small, each once, whole numbers; after a larger unit below 24 h, 60 m and 60 s,
// as in the fields of a clock. Nothing if text is none of these or too long for 64 bits.
std::optional<std::chrono::seconds> parse_duration(std::string_view text);

// parse_duration's grammar as messages and help texts describe it.
inline constexpr const char* kDurationForms = "90s, 30m, 1h30m, HH:MM:SS or plain seconds";

}  // namespace lockstep
