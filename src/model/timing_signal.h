#pragma once

#include <cstdint>
#include <span>

namespace lockstep {

// Sines and cosines that tell positions apart, in tensor2tensor's form (layers/common_attention.py,
// get_timing_signal_1d) of Vaswani et al. 2017, "Attention is all you need", section 3.5: channels / 2 wavelengths in a
// geometric series from 2 pi to 10000 * 2 pi, the last one exactly so; all sines first, then all cosines, and a zero if
// channels are odd.
// Writes row (channels) of `position`, which is at least 0. Pure.
void timing_signal(std::int64_t position, std::span<float> row);

}  // namespace lockstep
