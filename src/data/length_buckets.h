#pragma once

#include <cstdint>
#include <vector>

namespace lockstep {

// Buckets for sequences of similar lengths, and for each the number of sequences that make a batch of a number of
// tokens, as in tensor2tensor (utils/data_reader.py, batching_scheme). The bounds rise by a factor; the sizes are
// rounded down to divisors of one highly composite number, at most three times the largest size. A plain value; pure.
struct LengthBuckets {
  struct Options {
    std::int64_t batch_tokens = 4096;  // the most of a shard, except for a single longer sequence
    std::int64_t max_length = 0;       // the length that the last bucket is sized for; 0: batch_tokens
    std::int64_t first_bound = 8;      // T2T: min_length_bucket
    double step = 1.1;                 // factor from bound to bound, at least 1 token more; T2T: length_bucket_step
    std::int64_t shards = 1;           // number of them in a batch, each of batch_tokens
    bool operator==(const Options&) const = default;
  };

  std::vector<std::int64_t> bounds;  // rising; bucket b has the lengths from bounds[b - 1] on, below bounds[b]
  std::vector<std::int64_t> sizes;   // sequences of a batch: one size more than bounds, the last for all longer ones

  // The bucket of a sequence.
  std::size_t bucket(std::int64_t length) const;
};

// Throws Error(usage) of every rank if batch_tokens is outside 1 to 2^31, first_bound or shards below 1, max_length
// below 0, or the step not above 1.
LengthBuckets length_buckets(const LengthBuckets::Options& options);

}  // namespace lockstep
