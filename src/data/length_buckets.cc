#include "data/length_buckets.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/error.h"

namespace lockstep {
namespace {

constexpr std::int64_t kMostTokens = std::int64_t{1} << 31;  // per shard

void check(const LengthBuckets::Options& options) {
  const auto refuse = [](const std::string& text) { throw Error(ExitCode::usage, text, Scope::every_rank); };
  if (options.batch_tokens < 1 || options.batch_tokens > kMostTokens) {
    refuse(fmt::format("a batch of {} tokens; it has 1 to {}", options.batch_tokens, kMostTokens));
  }
  if (options.max_length < 0) refuse(fmt::format("hparam max_length is {}; it is at least 0", options.max_length));
  if (options.first_bound < 1) {
    refuse(fmt::format("hparam min_length_bucket is {}; it is at least 1", options.first_bound));
  }
  if (options.shards < 1) refuse(fmt::format("a batch of {} shards; it has at least 1", options.shards));
  if (!(options.step > 1)) refuse(fmt::format("hparam length_bucket_step is {}; it is above 1", options.step));
}

struct Composite {
  std::int64_t number = 1;
  std::int64_t divisors = 1;
};

// Finds the number with the most divisors, and of these the smallest, among the numbers up to `most` that are `from`
// times powers of the primes. No power is higher than the one before it, and the first not above highest_power.
Composite most_divisors(Composite from, std::span<const int> primes, int highest_power, std::int64_t most) {
  Composite best = from;
  Composite next = from;
  for (int power = 1; !primes.empty() && power <= highest_power && next.number <= most / primes[0]; ++power) {
    next = {.number = next.number * primes[0], .divisors = from.divisors * (power + 1)};
    const Composite found = most_divisors(next, primes.subspan(1), power, most);
    const bool smaller = found.divisors == best.divisors && found.number < best.number;
    if (found.divisors > best.divisors || smaller) best = found;
  }
  return best;
}

// The largest number up to `most` that has more divisors than any smaller one: A002182 of the OEIS. The powers of its
// primes never rise (Ramanujan, "Highly composite numbers", 1915).
std::int64_t highly_composite(std::int64_t most) {
  static constexpr int kPrimes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43};
  return most_divisors({}, kPrimes, 62, most).number;
}

std::int64_t largest_divisor(std::int64_t number, std::int64_t most) {
  std::int64_t largest = 1;
  for (std::int64_t small = 1; small * small <= number; ++small) {
    if (number % small != 0) continue;
    for (const std::int64_t divisor : {small, number / small}) {
      if (divisor <= most) largest = std::max(largest, divisor);
    }
  }
  return largest;
}

}  // namespace

LengthBuckets length_buckets(const LengthBuckets::Options& options) {
  check(options);
  const std::int64_t longest = options.max_length == 0 ? options.batch_tokens : options.max_length;
  LengthBuckets buckets;
  for (std::int64_t bound = options.first_bound; bound < longest;) {
    buckets.bounds.push_back(bound);
    const double next = std::min(static_cast<double>(bound) * options.step, static_cast<double>(longest));
    bound = std::max(bound + 1, static_cast<std::int64_t>(next));
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
