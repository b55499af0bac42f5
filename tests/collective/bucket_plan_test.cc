#include "collective/bucket_plan.h"

#include <doctest/doctest.h>

#include "base/error.h"

namespace lockstep {

TEST_CASE("buckets are cut from the end") {
  CHECK(plan_buckets(10, 4) == std::vector<FlatRange>{{6, 10}, {2, 6}, {0, 2}});
  CHECK(plan_buckets(8, 4) == std::vector<FlatRange>{{4, 8}, {0, 4}});
  CHECK(plan_buckets(3, 4) == std::vector<FlatRange>{{0, 3}});
  CHECK(plan_buckets(0, 4).empty());
  CHECK_THROWS_AS(plan_buckets(4, 0), Error);
  CHECK_THROWS_AS(plan_buckets(-1, 4), Error);
}

TEST_CASE("a bucket is complete when the ranges have reached its start") {
  BucketWalk walk(plan_buckets(10, 4));
  CHECK(walk.next_complete() == nullptr);
  walk.advance({7, 10});
  CHECK(walk.next_complete() == nullptr);
  walk.advance({1, 7});
  CHECK(*walk.next_complete() == FlatRange{6, 10});
  CHECK(*walk.next_complete() == FlatRange{2, 6});
  CHECK(walk.next_complete() == nullptr);
  CHECK_FALSE(walk.done());
  walk.advance({0, 1});
  CHECK(*walk.next_complete() == FlatRange{0, 2});
  CHECK(walk.done());
  CHECK(walk.next_complete() == nullptr);
  walk.restart();
  CHECK_FALSE(walk.done());
}

TEST_CASE("ranges that do not touch are refused") {
  BucketWalk walk(plan_buckets(10, 4));
  CHECK_THROWS_AS(walk.advance({5, 9}), Error);
  walk.advance({8, 10});
  CHECK_THROWS_AS(walk.advance({8, 10}), Error);
  CHECK_THROWS_AS(walk.advance({-1, 8}), Error);
}

}  // namespace lockstep
