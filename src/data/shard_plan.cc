#include "data/shard_plan.h"

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "base/random.h"

namespace lockstep {
namespace {

// Luby and Rackoff prove three rounds enough against an observer; more are needed because our halves are small
// (8 bits for 60000 samples): tests/data/shard_plan_test.cc counts the orders that few samples come in.
constexpr std::uint16_t kRounds = 8;

// A step of the epoch it belongs to, both from 0.
struct EpochStep {
  std::uint32_t epoch;
  std::int64_t step;
};

EpochStep in_epoch(std::int64_t step, std::int64_t steps_per_epoch) {
  LS_CHECK(step >= 1, "steps count from 1");
  return {static_cast<std::uint32_t>((step - 1) / steps_per_epoch), (step - 1) % steps_per_epoch};
}

}  // namespace

ShardPlan::ShardPlan(const Options& options) : options_(options) {
  LS_CHECK(options.samples >= 1 && options.global_batch >= 1 && options.shares >= 1, "a plan over nothing");
  steps_per_epoch_ = (options.samples - 1) / options.global_batch + 1;
}

std::int64_t ShardPlan::global_count(std::int64_t step) const {
  const std::int64_t first_place = in_epoch(step, steps_per_epoch_).step * options_.global_batch;
  return std::min(options_.global_batch, options_.samples - first_place);
}

void ShardPlan::share(std::int64_t step, int share, std::vector<std::int64_t>& sample_ids) const {
  LS_CHECK(share >= 0 && share < options_.shares, "no such share");
  const EpochStep at = in_epoch(step, steps_per_epoch_);
  const std::int64_t count = global_count(step);
  const std::int64_t size = count / options_.shares;
  const std::int64_t longer = count % options_.shares;  // shares that have one place more, the first ones
  const std::int64_t begin = at.step * options_.global_batch + share * size + std::min<std::int64_t>(share, longer);
  const std::int64_t end = begin + size + (share < longer ? 1 : 0);

  sample_ids.clear();
  for (std::int64_t place = begin; place < end; ++place) {
    sample_ids.push_back(permute(place, options_.samples, options_.seed, at.epoch));
  }
}

std::int64_t permute(std::int64_t place, std::int64_t count, std::uint64_t seed, std::uint32_t epoch) {
  LS_CHECK(place >= 0 && place < count, "a place outside the permutation");
  const auto last = static_cast<std::uint64_t>(count - 1);
  const int half_bits = (std::bit_width(last) + 1) / 2;  // 4^half_bits >= count
  const std::uint64_t half_mask = (std::uint64_t{1} << half_bits) - 1;

  auto value = static_cast<std::uint64_t>(place);
  do {  // fewer than four turns on average: the domain is less than four times as large as count
    std::uint64_t left = value >> half_bits;
    std::uint64_t right = value & half_mask;
    for (std::uint16_t round = 0; round < kRounds; ++round) {
      const RandomStream stream{
          .seed = seed, .purpose = Purpose::shuffle, .stream = round, .step = epoch, .sample = right};
      left ^= stream.block(0)[0] & half_mask;
      std::swap(left, right);
    }
    value = left << half_bits | right;
  } while (value > last);
  return static_cast<std::int64_t>(value);
}

}  // namespace lockstep
