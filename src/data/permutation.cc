#include "data/permutation.h"

#include <bit>
#include <utility>

#include "base/error.h"

namespace lockstep {
namespace {

// Luby and Rackoff prove three rounds enough against an observer; more are needed because our halves are small
// (8 bits for 60000 samples): tests/data/shard_plan_test.cc counts the orders that few samples come in.
constexpr std::uint16_t kRounds = Permutation::kStreams;

// `tweak` lies above the bits that a half can have, since there are at most 2^40 samples (base/random.h).
constexpr int kTweakShift = 20;

}  // namespace

std::int64_t permute(std::int64_t place, std::int64_t count, const Permutation& permutation) {
  LS_CHECK(place >= 0 && place < count, "a place outside the permutation");
  const auto last = static_cast<std::uint64_t>(count - 1);
  const int half_bits = (std::bit_width(last) + 1) / 2;  // 4^half_bits >= count
  const std::uint64_t half_mask = (std::uint64_t{1} << half_bits) - 1;

  auto value = static_cast<std::uint64_t>(place);
  do {  // fewer than four turns on average: the domain is less than four times as large as count
    std::uint64_t left = value >> half_bits;
    std::uint64_t right = value & half_mask;
    for (std::uint16_t round = 0; round < kRounds; ++round) {
      const RandomStream stream{.seed = permutation.seed,
                                .purpose = permutation.purpose,
                                .stream = static_cast<std::uint16_t>(permutation.stream + round),
                                .step = permutation.epoch,
                                .sample = permutation.tweak << kTweakShift | right};
      left ^= stream.block(0)[0] & half_mask;
      std::swap(left, right);
    }
    value = left << half_bits | right;
  } while (value > last);
  return static_cast<std::int64_t>(value);
}

}  // namespace lockstep
