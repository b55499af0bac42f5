#include "data/length_buckets.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace lockstep {
namespace {

void check(const LengthBuckets::Options& options) {
  const auto refuse = [](const std::string& text) { throw Error(ExitCode::usage, text, Scope::every_rank); };
  if (options.batch_tokens < 1) refuse(fmt::format("a batch of {} tokens; it has at least 1", options.batch_tokens));
  if (options.max_length < 0) refuse(fmt::format("hparam max_length is {}; it is at least 0", options.max_length));
  if (options.first_bound < 1) {
    refuse(fmt::format("hparam min_length_bucket is {}; it is at least 1", options.first_bound));
  }
  if (options.shards < 1) refuse(fmt::format("a batch of {} shards; it has at least 1", options.shards));
  if (!(options.step > 1)) refuse(fmt::format("hparam length_bucket_step is {}; it is above 1", options.step));
}

std::int64_t divisors(std::int64_t number) {
  std::int64_t count = 0;
  for (std::int64_t d = 1; d * d <= number; ++d) {
    if (number % d == 0) count += d * d == number ? 1 : 2;
  }
  return count;
}

// The largest number up to `most` that has more divisors than any smaller one: A002182 of the OEIS.
std::int64_t highly_composite(std::int64_t most) {
  std::int64_t best = 1;
  std::int64_t best_count = 1;
  for (std::int64_t number = 2; number <= most; number += 2) {  // all of them but 1 are even
    if (const std::int64_t count = divisors(number); count > best_count) {
      best = number;
      best_count = count;
    }
  }
  return best;
}

std::int64_t largest_divisor(std::int64_t number, std::int64_t most) {
  while (number % most != 0) --most;
  return most;
}

}  // namespace

LengthBuckets length_buckets(const LengthBuckets::Options& options) {
  check(options);
  const std::int64_t longest = options.max_length == 0 ? options.batch_tokens : options.max_length;
  LengthBuckets buckets;
  for (std::int64_t bound = options.first_bound; bound < longest;) {
    buckets.bounds.push_back(bound);
    bound = std::max(bound + 1, static_cast<std::int64_t>(static_cast<double>(bound) * options.step));
  }
  const auto fitting = [&](std::int64_t length) { return std::max<std::int64_t>(1, options.batch_tokens / length); };
  buckets.sizes.reserve(buckets.bounds.size() + 1);
  for (const std::int64_t bound : buckets.bounds) buckets.sizes.push_back(fitting(bound));
  buckets.sizes.push_back(fitting(longest));
  const std::int64_t window = highly_composite(3 * std::ranges::max(buckets.sizes));
  for (std::int64_t& size : buckets.sizes) size = largest_divisor(window, size) * options.shards;
  return buckets;
}

std::size_t LengthBuckets::bucket(std::int64_t length) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(bounds, length) - bounds.begin());
}

}  // namespace lockstep
