#include "data/sequences/sequence_batches.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "data/permutation.h"

namespace lockstep {
namespace {

constexpr std::uint16_t kBatchStreams = Permutation::kStreams;

}  // namespace

SequenceBatches::SequenceBatches(std::span<const std::int64_t> samples, std::span<const std::int32_t> lengths,
                                 const LengthBuckets& buckets) {
  LS_CHECK(lengths.size() < std::numeric_limits<std::int32_t>::max(), "more sequences than 32 bits can number");
  const auto bucket_of = [&](std::int64_t sample) { return buckets.bucket(lengths[static_cast<std::size_t>(sample)]); };
  std::vector<std::int64_t> counts(buckets.sizes.size());
  for (const std::int64_t sample : samples) ++counts[bucket_of(sample)];

  std::vector<std::int64_t> places(counts.size());  // place of each bucket's next sample
  std::int64_t place = 0;
  std::int64_t batches = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    places[i] = place;
    if (counts[i] == 0) continue;
    batches += (counts[i] - 1) / buckets.sizes[i] + 1;
    buckets_.push_back({.begin = place, .count = counts[i], .size = buckets.sizes[i], .end_batch = batches});
    place += counts[i];
  }
  samples_.resize(samples.size());
  for (const std::int64_t sample : samples) {
    const auto next = static_cast<std::size_t>(places[bucket_of(sample)]++);
    samples_[next] = static_cast<std::int32_t>(sample);
  }
}

SequenceBatches::Place SequenceBatches::place(std::int64_t number, std::uint64_t seed, std::uint32_t epoch) const {
  const std::int64_t ordered = permute(number, count(), {.seed = seed, .epoch = epoch, .stream = kBatchStreams});
  const auto bucket = std::ranges::upper_bound(buckets_, ordered, {}, &Bucket::end_batch);
  const std::int64_t batches = (bucket->count - 1) / bucket->size + 1;
  const std::int64_t begin = (ordered - (bucket->end_batch - batches)) * bucket->size;
  return {.bucket = static_cast<std::size_t>(bucket - buckets_.begin()),
          .begin = begin,
          .end = std::min(begin + bucket->size, bucket->count)};
}

void SequenceBatches::batch(std::int64_t number, std::uint64_t seed, std::uint32_t epoch,
                            std::vector<std::int64_t>& ids) const {
  const Place at = place(number, seed, epoch);
  const Bucket& bucket = buckets_[at.bucket];
  ids.clear();
  for (std::int64_t i = at.begin; i < at.end; ++i) {
    const std::int64_t within = permute(i, bucket.count, {.seed = seed, .epoch = epoch, .tweak = at.bucket});
    ids.push_back(samples_[static_cast<std::size_t>(bucket.begin + within)]);
  }
}

std::int64_t SequenceBatches::batch_size(std::int64_t number, std::uint64_t seed, std::uint32_t epoch) const {
  const Place at = place(number, seed, epoch);
  return at.end - at.begin;
}

}  // namespace lockstep
