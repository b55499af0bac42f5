#include "data/shard_plan.h"

#include <algorithm>

#include "base/error.h"
#include "data/permutation.h"

namespace lockstep {
namespace {

constexpr std::uint16_t kBlockStreams = Permutation::kStreams;
constexpr std::uint16_t kWindowStreams = 2 * Permutation::kStreams;

}  // namespace

ShardPlan::ShardPlan(const Options& options) : options_(options) {
  LS_CHECK(options.samples >= 1 && options.global_batch >= 1 && options.shares >= 1, "a plan over nothing");
  LS_CHECK(options.block >= 0 && options.window_blocks >= 1, "no such window");
  LS_CHECK(options.from.consumed >= 0 && options.from.consumed < options.samples, "a cursor after its epoch");
  LS_CHECK(options.from.missed.empty(), "missed batches, which plan_missed_first() takes");
  steps_per_epoch_ = (options.samples - 1) / options.global_batch + 1;
  first_steps_ = (options.samples - options.from.consumed - 1) / options.global_batch + 1;
  if (options.block == 0) return;
  whole_blocks_ = options.samples / options.block;
  // A window of all blocks is as good as a larger one, and cannot overflow.
  window_samples_ = options.block * std::min(options.window_blocks, whole_blocks_ + 1);
  LS_CHECK(options.samples / window_samples_ < std::int64_t{1} << Permutation::kTweakBits, "too many windows");
}

ShardPlan::Position ShardPlan::position(std::int64_t step) const {
  const Cursor& from = options_.from;
  LS_CHECK(step > from.step, "a step that was made already");
  const std::int64_t n = step - from.step - 1;
  if (n < first_steps_) return {static_cast<std::uint32_t>(from.epoch), from.consumed + n * options_.global_batch};
  const std::int64_t later = n - first_steps_;
  return {static_cast<std::uint32_t>(from.epoch + 1 + later / steps_per_epoch_),
          later % steps_per_epoch_ * options_.global_batch};
}

ShardPlan::Cursor ShardPlan::cursor(std::int64_t step) const {
  if (step == options_.from.step) return options_.from;
  const Position at = position(step);
  const std::int64_t consumed = at.begin + global_count(step);
  if (consumed == options_.samples) return {.step = step, .epoch = at.epoch + 1};
  return {.step = step, .epoch = at.epoch, .consumed = consumed};
}

std::int64_t ShardPlan::largest_share() const {
  return (std::min(options_.global_batch, options_.samples) + options_.shares - 1) / options_.shares;
}

double ShardPlan::epochs(std::int64_t step) const {
  const Cursor at = cursor(step);
  return static_cast<double>(at.epoch) + static_cast<double>(at.consumed) / static_cast<double>(options_.samples);
}

std::int64_t ShardPlan::last_step_of(std::int64_t epochs) const {
  const Cursor& from = options_.from;
  if (epochs <= from.epoch) return from.step;
  return from.step + first_steps_ + (epochs - from.epoch - 1) * steps_per_epoch_;
}

std::int64_t ShardPlan::global_count(std::int64_t step) const {
  return std::min(options_.global_batch, options_.samples - position(step).begin);
}

ShardPlan::Part ShardPlan::part_of(std::int64_t count, int share) const {
  LS_CHECK(share >= 0 && share < options_.shares, "no such share");
  const std::int64_t size = count / options_.shares;
  const std::int64_t longer = count % options_.shares;  // shares that have one place more, the first ones
  const std::int64_t begin = share * size + std::min<std::int64_t>(share, longer);
  return {begin, begin + size + (share < longer ? 1 : 0)};
}

void ShardPlan::share(std::int64_t step, int share, std::vector<std::int64_t>& sample_ids) const {
  const Position at = position(step);
  const auto [begin, end] = part_of(global_count(step), share);
  sample_ids.clear();
  for (std::int64_t place = begin; place < end; ++place) {
    sample_ids.push_back(sample_at(at.begin + place, at.epoch));
  }
}

void ShardPlan::share_of(std::span<const std::int64_t> batch, int share, std::vector<std::int64_t>& sample_ids) const {
  const auto [begin, end] = part_of(std::ssize(batch), share);
  sample_ids.assign(batch.begin() + begin, batch.begin() + end);
}

std::int64_t ShardPlan::sample_at(std::int64_t place, std::uint32_t epoch) const {
  if (options_.block == 0) return permute(place, options_.samples, options_.seed, epoch);
  const std::int64_t window = place / window_samples_;
  const std::int64_t begin = window * window_samples_;
  const std::int64_t size = std::min(window_samples_, options_.samples - begin);
  const std::int64_t within = permute(
      place - begin, size,
      {.seed = options_.seed, .epoch = epoch, .stream = kWindowStreams, .tweak = static_cast<std::uint64_t>(window)});
  const std::int64_t ordered = begin + within;
  return block_at(ordered / options_.block, epoch) * options_.block + ordered % options_.block;
}

std::int64_t ShardPlan::block_at(std::int64_t position, std::uint32_t epoch) const {
  if (position == whole_blocks_) return position;  // the short last block
  return permute(position, whole_blocks_, {.seed = options_.seed, .epoch = epoch, .stream = kBlockStreams});
}

void ShardPlan::ahead(std::int64_t step, std::vector<std::int64_t>& blocks) const {
  blocks.clear();
  if (options_.block == 0) return;
  const Position at = position(step);
  const std::int64_t all_blocks = (options_.samples - 1) / options_.block + 1;
  const std::int64_t window_blocks = window_samples_ / options_.block;
  std::int64_t begin = at.begin;
  const std::int64_t end = begin + global_count(step);
  while (begin < end) {  // the windows that the step takes a part of
    const std::int64_t window = begin / window_samples_;
    const std::int64_t window_begin = window * window_samples_;
    const std::int64_t window_end = std::min(window_begin + window_samples_, options_.samples);
    const bool last = window_end == options_.samples;
    const std::uint32_t next_epoch = at.epoch + (last ? 1 : 0);
    const std::int64_t next_first = last ? 0 : (window + 1) * window_blocks;
    const std::int64_t next_blocks = std::min(window_blocks, all_blocks - next_first);
    // Blocks announced before the window has reached this place, rounded up so that even the last of few large blocks
    // is announced in time.
    const auto announced = [&](std::int64_t place) {
      const std::int64_t size = window_end - window_begin;
      return (next_blocks * (place - window_begin) + size - 1) / size;
    };
    const std::int64_t part_end = std::min(end, window_end);
    for (std::int64_t block = announced(begin); block < announced(part_end); ++block) {
      blocks.push_back(block_at(next_first + block, next_epoch));
    }
    begin = part_end;
  }
}

std::int64_t permute(std::int64_t place, std::int64_t count, std::uint64_t seed, std::uint32_t epoch) {
  return permute(place, count, {.seed = seed, .epoch = epoch});
}

}  // namespace lockstep
