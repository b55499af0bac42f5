#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/length_buckets.h"

namespace lockstep {

// Samples, cut into batches of sequences of similar lengths: each bucket's samples in a permuted order, as many to a
// batch as the bucket's size says, the last batch of a bucket smaller; then all batches in a permuted order. Both
// orders are drawn from (seed, epoch) and computed, so that nothing has to be kept for an epoch. The number of batches
// does not depend on them. A plain value; any thread may call.
//
// tensor2tensor (utils/data_reader.py) fills its buckets from a stream that is shuffled in windows; the smaller batches
// come with the next epoch's samples there, and here at any place of their own epoch.
class SequenceBatches {
 public:
  // samples: ascending. lengths: of all existing samples, by number, fewer than 2^31 - 1.
  SequenceBatches(std::span<const std::int64_t> samples, std::span<const std::int32_t> lengths,
                  const LengthBuckets& buckets);

  std::int64_t count() const { return buckets_.empty() ? 0 : buckets_.back().end_batch; }
  std::int64_t samples() const { return std::ssize(samples_); }
  // The samples of one batch, in its order, and their number. REQUIRES: 0 <= number < count().
  void batch(std::int64_t number, std::uint64_t seed, std::uint32_t epoch, std::vector<std::int64_t>& ids) const;
  std::int64_t batch_size(std::int64_t number, std::uint64_t seed, std::uint32_t epoch) const;

 private:
  struct Bucket {
    std::int64_t begin;      // place of its first sample in samples_
    std::int64_t count;      // number of its samples, above 0
    std::int64_t size;       // samples of a batch
    std::int64_t end_batch;  // one past its last batch, before batches are permuted
  };

  struct Place {
    std::size_t bucket;
    std::int64_t begin;  // the first of its samples, before they are permuted
    std::int64_t end;
  };
  Place place(std::int64_t number, std::uint64_t seed, std::uint32_t epoch) const;

  std::vector<std::int32_t> samples_;  // bucket after bucket
  std::vector<Bucket> buckets_;
};

}  // namespace lockstep
