#pragma once

#include <cstdint>
#include <limits>

namespace lockstep {

inline constexpr std::int64_t kMaxStepNumber =
    std::numeric_limits<std::uint32_t>::max();  // RandomStream counts steps in 32 bits

}  // namespace lockstep
