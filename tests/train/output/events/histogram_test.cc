#include "train/output/events/histogram.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace lockstep {
namespace {

using Counts = std::array<std::int64_t, Histogram::kBuckets>;

Histogram of(const std::vector<float>& values) { return histogram_of(values); }

std::int64_t total(const Histogram& histogram) {
  return std::accumulate(histogram.counts.begin(), histogram.counts.end(), std::int64_t{0});
}

// Returns 0, 1, ..., last.
std::vector<float> whole_numbers(int last) {
  std::vector<float> values(static_cast<std::size_t>(last) + 1);
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

// Counts with everything in the last bucket.
Counts only_last(std::int64_t count) {
  Counts counts{};
  counts.back() = count;
  return counts;
}

}  // namespace

TEST_CASE("histogram: buckets of equal width, the highest value in the last one") {
  const Histogram histogram = of(whole_numbers(30));
  Counts expected;
  expected.fill(1);
  expected.back() = 2;
  CHECK(histogram.counts == expected);
  for (std::size_t i = 0; i <= Histogram::kBuckets; ++i) CHECK(histogram.edge(i) == static_cast<double>(i));

  const Histogram wider = of(whole_numbers(3000));
  expected.fill(100);
  expected.back() = 101;
  CHECK(wider.counts == expected);
  CHECK(wider.edge(7) == 700);
}

TEST_CASE("histogram: the order of values does not matter, nor does a side of zero") {
  const Histogram histogram = of({3, -3, 0, 0.5F, -3, 1, 2.9F});  // buckets of 0.2
  CHECK(histogram.lowest == -3);
  CHECK(histogram.highest == 3);
  CHECK(total(histogram) == 7);
  CHECK(histogram.counts[0] == 2);
  CHECK(histogram.counts[15] == 1);  // 0
  CHECK(histogram.counts[17] == 1);  // 0.5
  CHECK(histogram.counts[20] == 1);  // 1
  CHECK(histogram.counts[29] == 2);  // 2.9 and 3
}

TEST_CASE("histogram: counts add up to the number of values") {
  for (const int count : {1, 2, 29, 30, 31, 1023, 100003}) {
    std::vector<float> values;
    for (int i = 0; i < count; ++i) values.push_back(std::sin(static_cast<float>(i)) * 1e-3F);
    CHECK(total(of(values)) == count);
  }
}

TEST_CASE("histogram: equal values are in the last bucket, whose edges are they") {
  for (const std::int64_t count : {1, 5}) {
    const Histogram histogram = of(std::vector<float>(static_cast<std::size_t>(count), -0.25F));
    CHECK(histogram.counts == only_last(count));
    CHECK(histogram.edge(0) == -0.25);
    CHECK(histogram.edge(17) == -0.25);
    CHECK(histogram.edge(Histogram::kBuckets) == -0.25);
  }
  CHECK(of({0, -0.0F}).counts == only_last(2));
}

TEST_CASE("histogram: what is not finite is left out") {
  const float infinity = std::numeric_limits<float>::infinity();
  const Histogram histogram = of({NAN, 1, infinity, 31, -infinity, 2, NAN});
  CHECK(histogram.lowest == 1);
  CHECK(histogram.highest == 31);
  CHECK(total(histogram) == 3);
  CHECK(histogram.counts[0] == 1);
  CHECK(histogram.counts[1] == 1);
  CHECK(histogram.counts[29] == 1);
}

TEST_CASE("histogram: of no values all is zero") {
  for (const Histogram& histogram : {of({}), of({NAN, std::numeric_limits<float>::infinity()})}) {
    CHECK(histogram.counts == Counts{});
    CHECK(histogram.edge(0) == 0);
    CHECK(histogram.edge(Histogram::kBuckets) == 0);
  }
}

TEST_CASE("histogram: the widest and the narrowest range of floats") {
  const float largest = std::numeric_limits<float>::max();
  const float smallest = std::numeric_limits<float>::denorm_min();
  for (const auto& [low, high] :
       {std::pair(-largest, largest), std::pair(0.0F, smallest), std::pair(1.0F, 1 + 1e-6F)}) {
    const Histogram histogram = of({high, low, low});
    CHECK(histogram.counts.front() == 2);
    CHECK(histogram.counts.back() == 1);
    CHECK(std::isfinite(histogram.edge(15)));
    CHECK(histogram.edge(15) > low);
    CHECK(histogram.edge(15) < high);
  }
}

}  // namespace lockstep
