#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace lockstep {

// The name of a new event file, "events.out.tfevents.<seconds>.<host>". TensorBoard reads the files of a folder in the
// order of their names, so the seconds since 1970 are raised above those of the names that are there already, for two
// starts within a second, or a clock that went back. Pure.
std::string event_file_name(std::int64_t seconds, const std::string& host, std::span<const std::string> there);

}  // namespace lockstep
