#include "collective/slices.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "base/error.h"

using namespace lockstep;

TEST_CASE("slices touch, cover everything and differ by one grain at most") {
  for (const int ranks : {1, 2, 3, 5, 8}) {
    for (const std::int64_t count : {0, 1, 2, 3, 7, 64, 1000, 1025}) {
      for (const std::int64_t granularity : {1, 16}) {
        CAPTURE(ranks);
        CAPTURE(count);
        CAPTURE(granularity);
        const auto slices = equal_slices(count, ranks, granularity);
        REQUIRE(std::ssize(slices) == ranks);
        std::int64_t end = 0;
        for (const FlatRange& slice : slices) {
          CHECK(slice.begin == end);
          CHECK((slice.begin % granularity == 0 || slice.begin == count));
          CHECK(slice.count() <= (count / granularity / ranks + 1) * granularity);
          end = slice.end;
        }
        CHECK(end == count);
      }
    }
  }
}

TEST_CASE("the slices of a piece cover it, wherever it lies") {
  const std::vector<FlatRange> slices{{0, 3}, {3, 3}, {3, 10}};
  CHECK(slices_within({0, 10}, slices) == slices);
  CHECK(slices_within({1, 5}, slices) == std::vector<FlatRange>{{0, 2}, {2, 2}, {2, 4}});
  CHECK(slices_within({4, 6}, slices) == std::vector<FlatRange>{{0, 0}, {0, 0}, {0, 2}});
  CHECK(slices_within({10, 10}, slices) == std::vector<FlatRange>{{0, 0}, {0, 0}, {0, 0}});
}

TEST_CASE("slices that do not fit are refused") {
  CHECK_NOTHROW(check_slices(4, std::vector<FlatRange>{{0, 1}, {1, 4}}, 2));
  CHECK_THROWS_AS(check_slices(4, std::vector<FlatRange>{{0, 1}, {1, 4}}, 3), Error);
  CHECK_THROWS_AS(check_slices(4, std::vector<FlatRange>{{0, 1}, {2, 4}}, 2), Error);
  CHECK_THROWS_AS(check_slices(4, std::vector<FlatRange>{{0, 2}, {2, 1}}, 2), Error);
  CHECK_THROWS_AS(check_slices(4, std::vector<FlatRange>{{0, 1}, {1, 3}}, 2), Error);
}
