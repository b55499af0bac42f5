#include "data/sequences/sequence_plan.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

#include "base/error.h"

namespace lockstep {
namespace {

// most: 0 allows any length.
bool is_too_long(std::int64_t length, std::int64_t most) { return most > 0 && length > most; }

// The samples that are not too long.
std::vector<std::int64_t> kept(std::vector<std::int64_t> samples, std::span<const std::int32_t> lengths,
                               std::int64_t most) {
  std::erase_if(samples, [&](std::int64_t id) { return is_too_long(lengths[static_cast<std::size_t>(id)], most); });
  return samples;
}

std::vector<std::int64_t> all_samples(std::size_t count) {
  std::vector<std::int64_t> samples(count);
  std::iota(samples.begin(), samples.end(), 0);
  return samples;
}

// The rest of `samples`, which are ascending, after the first `taken` batches.
std::vector<std::int64_t> left_after(std::span<const std::int64_t> samples, const SequenceBatches& batches,
                                     std::int64_t taken, std::uint64_t seed, std::uint32_t epoch) {
  std::vector<std::int64_t> gone;
  std::vector<std::int64_t> ids;
  for (std::int64_t number = 0; number < taken; ++number) {
    batches.batch(number, seed, epoch, ids);
    gone.insert(gone.end(), ids.begin(), ids.end());
  }
  std::ranges::sort(gone);
  std::vector<std::int64_t> left;
  left.reserve(samples.size() - gone.size());
  std::ranges::set_difference(samples, gone, std::back_inserter(left));
  return left;
}

}  // namespace

SequencePlan::SequencePlan(Options options)
    : options_(std::move(options)),
      whole_(kept(all_samples(options_.lengths.size()), options_.lengths, options_.buckets.max_length),
             options_.lengths, length_buckets(options_.buckets)) {
  LS_CHECK(whole_.samples() > 0 && options_.shares >= 1, "a plan over nothing");
  LS_CHECK(options_.from.missed.empty(), "missed batches, which plan_missed_first() takes");
  dropped_ = std::ssize(options_.lengths) - whole_.samples();
  for (const std::int64_t length : options_.lengths) {
    if (!is_too_long(length, options_.buckets.max_length)) longest_ = std::max(longest_, length);
  }
  steps_per_epoch_ = whole_.count();
  first_steps_ = steps_per_epoch_;
  if (options_.from.legs.empty() || resume()) return;
  options_.from = {.step = options_.from.step, .epoch = options_.from.epoch + 1};
  legs_before_.clear();
  left_.reset();
  left_taken_ = 0;
  first_steps_ = steps_per_epoch_;
}

// Returns whether the data have the cursor's position.
bool SequencePlan::resume() {
  const Cursor& from = options_.from;
  const auto epoch = static_cast<std::uint32_t>(from.epoch);
  legs_before_ = from.legs;
  if (legs_before_.back().buckets == options_.buckets) {  // the run continues this leg
    left_taken_ = legs_before_.back().batches;
    legs_before_.pop_back();
  }
  std::vector<std::int64_t> samples = all_samples(options_.lengths.size());
  for (const BatchLeg& leg : legs_before_) {
    // Each leg dropped samples by its own max_length.
    const SequenceBatches batches(kept(samples, options_.lengths, leg.buckets.max_length), options_.lengths,
                                  length_buckets(leg.buckets));
    if (leg.batches > batches.count()) return false;
    samples = left_after(samples, batches, leg.batches, options_.seed, epoch);
  }
  left_ = std::make_unique<SequenceBatches>(kept(std::move(samples), options_.lengths, options_.buckets.max_length),
                                            options_.lengths, length_buckets(options_.buckets));
  first_steps_ = left_->count() - left_taken_;
  return first_steps_ > 0;
}

SequencePlan::Position SequencePlan::position(std::int64_t step) const {
  const Cursor& from = options_.from;
  LS_CHECK(step > from.step, "a step that was made already");
  const std::int64_t n = step - from.step - 1;
  if (n < first_steps_) return {static_cast<std::uint32_t>(from.epoch), left_taken_ + n, left_ != nullptr};
  const std::int64_t later = n - first_steps_;
  return {static_cast<std::uint32_t>(from.epoch + 1 + later / steps_per_epoch_), later % steps_per_epoch_, false};
}

SequencePlan::Cursor SequencePlan::cursor(std::int64_t step) const {
  if (step == options_.from.step) return options_.from;
  const Position at = position(step);
  if (at.number + 1 == (at.resumed ? *left_ : whole_).count()) return {.step = step, .epoch = at.epoch + 1};
  Cursor cursor{.step = step, .epoch = at.epoch};
  if (at.resumed) cursor.legs = legs_before_;
  cursor.legs.push_back({options_.buckets, at.number + 1});
  return cursor;
}

double SequencePlan::epochs(std::int64_t step) const {
  const bool made = step > options_.from.step;
  if (!made && left_ == nullptr) return static_cast<double>(options_.from.epoch);
  const Position at =
      made ? position(step) : Position{static_cast<std::uint32_t>(options_.from.epoch), left_taken_ - 1, true};
  const SequenceBatches& batches = at.resumed ? *left_ : whole_;
  const double done = static_cast<double>(at.number + 1) / static_cast<double>(batches.count());
  const double left = static_cast<double>(batches.samples()) / static_cast<double>(whole_.samples());
  return static_cast<double>(at.epoch) + 1 - left * (1 - done);
}

std::int64_t SequencePlan::last_step_of(std::int64_t epochs) const {
  const Cursor& from = options_.from;
  if (epochs <= from.epoch) return from.step;
  return from.step + first_steps_ + (epochs - from.epoch - 1) * steps_per_epoch_;
}

std::int64_t SequencePlan::global_count(std::int64_t step) const {
  const Position at = position(step);
  return (at.resumed ? *left_ : whole_).batch_size(at.number, options_.seed, at.epoch);
}

void SequencePlan::batch(std::int64_t step, std::vector<std::int64_t>& sample_ids) const {
  const Position at = position(step);
  (at.resumed ? *left_ : whole_).batch(at.number, options_.seed, at.epoch, sample_ids);
}

void SequencePlan::share(std::int64_t step, int share, std::vector<std::int64_t>& sample_ids) const {
  batch(step, sample_ids);
  keep_share(share, sample_ids);
}

void SequencePlan::share_of(std::span<const std::int64_t> batch, int share,
                            std::vector<std::int64_t>& sample_ids) const {
  sample_ids.assign(batch.begin(), batch.end());
  keep_share(share, sample_ids);
}

void SequencePlan::keep_share(int share, std::vector<std::int64_t>& sample_ids) const {
  LS_CHECK(share >= 0 && share < options_.shares, "no such share");
  const auto tokens = [&](std::int64_t id) {  // an empty sequence counts as one token
    return std::max<std::int64_t>(1, options_.lengths[static_cast<std::size_t>(id)]);
  };
  std::int64_t all = 0;
  for (const std::int64_t id : sample_ids) all += tokens(id);
  std::int64_t before = 0;
  std::size_t kept = 0;
  for (const std::int64_t id : sample_ids) {
    const std::int64_t middle = 2 * before + tokens(id);  // a sequence belongs to the share that its middle falls into
    if (middle * options_.shares / (2 * all) == share) sample_ids[kept++] = id;
    before += tokens(id);
  }
  sample_ids.resize(kept);
}

}  // namespace lockstep
