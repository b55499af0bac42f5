#include "collective/sliced_buckets.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/error.h"

namespace lockstep {
namespace {

// Checks that buckets go from the end of the store to its start without a gap, and slices in the order of ranks;
// together the ranks own each element once.
void check_cover(const std::vector<SlicedBucket>& buckets, std::int64_t count, int ranks) {
  std::int64_t end = count;
  for (const SlicedBucket& bucket : buckets) {
    CHECK(bucket.range.end == end);
    CHECK(!bucket.range.empty());
    end = bucket.range.begin;
    REQUIRE(std::ssize(bucket.slices) == ranks);
    std::int64_t at = 0;
    for (const FlatRange slice : bucket.slices) {
      CHECK(slice.begin == at);
      CHECK(slice.end >= slice.begin);
      at = slice.end;
    }
    CHECK(at == bucket.range.count());
  }
  CHECK(end == 0);
  std::vector<int> owners(static_cast<std::size_t>(count), 0);
  for (int rank = 0; rank < ranks; ++rank) {
    std::int64_t before = -1;
    for (const FlatRange range : owned_ranges(buckets, rank)) {
      CHECK(range.begin > before);  // ascending, and adjacent ranges are merged
      before = range.end;
      for (std::int64_t i = range.begin; i < range.end; ++i) ++owners[static_cast<std::size_t>(i)];
    }
  }
  CHECK(std::ranges::count(owners, 1) == count);
}

std::int64_t owned_count(const std::vector<SlicedBucket>& buckets, int rank) {
  std::int64_t count = 0;
  for (const FlatRange range : owned_ranges(buckets, rank)) count += range.count();
  return count;
}

}  // namespace

TEST_CASE("buckets and slices begin at multiples of the granularity, slices are equal but for one") {
  for (const std::int64_t count : {0, 1, 15, 16, 17, 1000, 4096}) {
    for (const std::int64_t bucket : {1, 100, 128, 10000}) {
      for (const int ranks : {1, 2, 3, 5, 8}) {
        const auto buckets = slice_buckets(count, bucket, ranks, 16);
        check_cover(buckets, count, ranks);
        for (const SlicedBucket& each : buckets) {
          CHECK(each.range.begin % 16 == 0);
          if (each.range.begin > 0) CHECK(each.range.count() >= std::min(bucket, count));
          for (const FlatRange slice : each.slices) {
            CHECK((slice.begin % 16 == 0 || slice.begin == each.range.count()));
            CHECK(slice.count() <= (each.range.count() / 16 / ranks + 1) * 16);
          }
        }
        for (int rank = 0; rank < ranks; ++rank) CHECK(owned_count(buckets, rank) <= (count / 16 / ranks + 1) * 16);
      }
    }
  }
}

TEST_CASE("where no variable may be cut, each is one rank's, and ranks own like parts") {
  // Like a network's layers: a kernel, then a bias.
  const std::vector<std::int64_t> lengths{48, 16, 96, 16, 400, 16, 96, 16, 96, 16, 16};
  std::vector<std::int64_t> starts;
  std::int64_t count = 0;
  for (const std::int64_t length : lengths) {
    starts.push_back(count);
    count += length;
  }
  for (const std::int64_t bucket : {1, 100, 300, 10000}) {
    for (const int ranks : {1, 2, 3, 5, 20}) {
      CAPTURE(bucket);
      CAPTURE(ranks);
      const auto buckets = slice_buckets_at(starts, count, bucket, ranks);
      check_cover(buckets, count, ranks);
      for (int rank = 0; rank < ranks; ++rank) {
        for (const FlatRange range : owned_ranges(buckets, rank)) {
          CHECK(std::ranges::find(starts, range.begin) != starts.end());
        }
      }
    }
  }
  // A bucket for each variable goes to the rank that has the least, so no rank exceeds its share by more than a
  // variable.
  const auto two = slice_buckets_at(starts, count, 1, 2);
  CHECK(std::max(owned_count(two, 0), owned_count(two, 1)) <= count / 2 + 400 / 2);
  // With one bucket, a row is cut into three as well as possible.
  const auto three = slice_buckets_at(starts, count, 10000, 3);
  CHECK(owned_count(three, 0) == 176);
  CHECK(owned_count(three, 1) == 400);
}

TEST_CASE("an empty store has no buckets, and nobody owns anything") {
  CHECK(slice_buckets_at({}, 0, 10, 3).empty());
  CHECK(slice_buckets(0, 10, 3, 16).empty());
  CHECK(owned_ranges({}, 2).empty());
  CHECK_THROWS_AS(slice_buckets(10, 0, 3, 16), Error);
}

}  // namespace lockstep
