#include "collective/slices.h"

#include <doctest/doctest.h>

#include <algorithm>

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
