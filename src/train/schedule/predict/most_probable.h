#pragma once

#include <cstdint>
#include <span>

namespace lockstep {

// The most probable classes of a row and their probabilities, as many as `top` has room for: first the one that is
// predicted, then the others from the most probable on, of equals the lower number first. Pure.
// REQUIRES: top and top_probabilities of one size, at most as many as there are classes.
void most_probable(std::span<const float> probabilities, std::int32_t predicted, std::span<std::int32_t> top,
                   std::span<float> top_probabilities);

}  // namespace lockstep
