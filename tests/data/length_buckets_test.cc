#include "data/length_buckets.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "support/reference_cases.h"

namespace lockstep {
namespace {

std::vector<std::int64_t> integers(const Json& list) {
  std::vector<std::int64_t> numbers;
  for (const Json& number : *list.as<Json::Array>()) numbers.push_back(*number.as<std::int64_t>());
  return numbers;
}

std::int64_t integer_or(std::int64_t otherwise, const Json& object, const char* name) {
  const Json* member = object.find(name);
  return member == nullptr ? otherwise : *member->as<std::int64_t>();
}

}  // namespace

TEST_CASE("length_buckets: tensor2tensor's tables") {
  const std::optional<Json> all = reference_cases("t2t_numeric_golden.json");
  if (!all) return;
  int compared = 0;
  for (const auto& [name, table] : *all->find("batching_scheme")->as<Json::Object>()) {
    CAPTURE(name);
    const Json& arguments = *table.find("args");
    const LengthBuckets buckets = length_buckets({.batch_tokens = integer_or(0, arguments, "batch_size"),
                                                  .max_length = integer_or(0, arguments, "max_length"),
                                                  .shards = integer_or(1, arguments, "shard_multiplier")});
    CHECK(buckets.bounds == integers(*table.find("boundaries")));
    CHECK(buckets.sizes == integers(*table.find("batch_sizes")));
    ++compared;
  }
  CHECK(compared == 5);
}

// Computed by hand: bounds 4, 6, 9, 13; 60 / bound = 15, 10, 6, 4, and 60 / 16 = 3. Up to 45 the number with the most
// divisors is 36, whose largest divisors up to these are 12, 9, 6, 4, 3.
TEST_CASE("length_buckets: bounds rise by a factor, sizes divide one number") {
  const LengthBuckets buckets = length_buckets({.batch_tokens = 60, .max_length = 16, .first_bound = 4, .step = 1.5});
  CHECK(buckets.bounds == std::vector<std::int64_t>{4, 6, 9, 13});
  CHECK(buckets.sizes == std::vector<std::int64_t>{12, 9, 6, 4, 3});
  CHECK(buckets.bucket(0) == 0);
  CHECK(buckets.bucket(3) == 0);
  CHECK(buckets.bucket(4) == 1);
  CHECK(buckets.bucket(12) == 3);
  CHECK(buckets.bucket(13) == 4);
  CHECK(buckets.bucket(1000) == 4);
}

TEST_CASE("length_buckets: a factor near 1 still leaves a token between bounds, a batch a sequence") {
  const LengthBuckets buckets = length_buckets({.batch_tokens = 3, .max_length = 5, .first_bound = 1, .step = 1.01});
  CHECK(buckets.bounds == std::vector<std::int64_t>{1, 2, 3, 4});
  CHECK(buckets.sizes == std::vector<std::int64_t>{3, 1, 1, 1, 1});
  CHECK(length_buckets({.batch_tokens = 1}).sizes == std::vector<std::int64_t>{1});
}

TEST_CASE("length_buckets: numbers out of range are refused") {
  CHECK_THROWS_WITH_AS(length_buckets({.batch_tokens = 0}), doctest::Contains("a batch of 0 tokens"), Error);
  CHECK_THROWS_WITH_AS(length_buckets({.max_length = -1}), doctest::Contains("max_length is -1"), Error);
  CHECK_THROWS_WITH_AS(length_buckets({.first_bound = 0}), doctest::Contains("min_length_bucket is 0"), Error);
  CHECK_THROWS_WITH_AS(length_buckets({.batch_tokens = std::int64_t{1} << 41}), doctest::Contains("1 to"), Error);
  CHECK(length_buckets({.batch_tokens = 100, .step = 1e300}).bounds == std::vector<std::int64_t>{8});
  CHECK_THROWS_WITH_AS(length_buckets({.step = 1}), doctest::Contains("length_bucket_step is 1"), Error);
  CHECK_THROWS_WITH_AS(length_buckets({.shards = 0}), doctest::Contains("0 shards"), Error);
}

}  // namespace lockstep
