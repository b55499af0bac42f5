#pragma once

#include <array>
#include <cstdint>

// Counter-based random numbers: Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy
// as 1, 2, 3" (SC'11). A draw is a pure function of (seed, purpose, step, sample, index) and never of a rank, so
// that any number of ranks draws the same numbers for the same sample. No state, any thread may call.
namespace lockstep {

using PhiloxBlock = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

inline constexpr int kPhiloxRounds = 10;
inline constexpr std::array<std::uint64_t, 2> kPhiloxMultipliers{0xD2511F53U, 0xCD9E8D57U};
// Weyl sequences: golden ratio and sqrt(3) - 1.
inline constexpr PhiloxKey kPhiloxWeyl{0x9E3779B9U, 0xBB67AE85U};

// Ten rounds of Philox4x32 on one counter block. In the header because dropout calls it for every fourth element.
inline constexpr PhiloxBlock philox4x32(PhiloxBlock counter, PhiloxKey key) {
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const std::uint64_t product0 = kPhiloxMultipliers[0] * counter[0];
    const std::uint64_t product1 = kPhiloxMultipliers[1] * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(product0)};
    key = {key[0] + kPhiloxWeyl[0], key[1] + kPhiloxWeyl[1]};
  }
  return counter;
}

// Uses of random numbers; streams of different purposes never meet.
// The values decide the bits of every run: do not change them.
enum class Purpose : std::uint8_t {
  initial_value = 1,
  shuffle = 2,
  dropout = 3,
  generated_data = 4,
  augmentation = 5,
  holdout = 6,
};

// One stream of random numbers: all draws of one purpose (and one layer or variable, `stream`) at one step for one
// sample. Inputs that a purpose does not depend on (initial values: step and sample) are 0.
struct RandomStream {
  std::uint64_t seed = 1;
  Purpose purpose = Purpose::initial_value;
  std::uint16_t stream = 0;  // layer or variable
  std::uint32_t step = 0;
  std::uint64_t sample = 0;  // global sample index, below 2^40

  // Words [4 * index, 4 * index + 4) of the stream.
  constexpr PhiloxBlock block(std::uint32_t index) const { return philox4x32(counter(index), key()); }

  // Counter layout: index, step, sample (40 bits), stream, purpose.
  constexpr PhiloxBlock counter(std::uint32_t index) const {
    return {index, step, static_cast<std::uint32_t>(sample),
            static_cast<std::uint32_t>(sample >> 32) << 24 | std::uint32_t{stream} << 8 |
                static_cast<std::uint32_t>(purpose)};
  }
  constexpr PhiloxKey key() const { return {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}; }
};

// The upper 24 bits of a word as a float in [0, 1).
inline constexpr float uniform_float(std::uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24F; }

}  // namespace lockstep
