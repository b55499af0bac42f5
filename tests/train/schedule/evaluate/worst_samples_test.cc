#include "train/schedule/evaluate/worst_samples.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace lockstep {
namespace {

// Sample n has the loss n * 7 % 5: each loss repeats.
WorstSample some_sample(std::int64_t number) {
  return {.loss = static_cast<double>(number * 7 % 5), .sample = number, .values = {static_cast<double>(number) / 3}};
}

void check_same(const WorstSamples& one, const WorstSamples& other) {
  REQUIRE(one.samples().size() == other.samples().size());
  for (std::size_t at = 0; at < one.samples().size(); ++at) {
    CHECK(one.samples()[at].sample == other.samples()[at].sample);
    CHECK(one.samples()[at].loss == other.samples()[at].loss);
    CHECK(one.samples()[at].values == other.samples()[at].values);
  }
}

}  // namespace

TEST_CASE("worst samples: the largest losses, and of equals the lower numbers") {
  WorstSamples worst(4, 1);
  for (std::int64_t number = 14; number >= 0; --number) worst.add(some_sample(number));
  // Samples 2, 7 and 12 have the loss 4; sample 4 is the lowest with the loss 3.
  const std::vector<std::int64_t> expected{2, 7, 12, 4};
  REQUIRE(worst.samples().size() == 4);
  for (std::size_t at = 0; at < 4; ++at) CHECK(worst.samples()[at].sample == expected[at]);
  CHECK_FALSE(worst.takes(3, 9));
  CHECK(worst.takes(3, 3));
  CHECK(worst.takes(5, 99));
}

TEST_CASE("worst samples: however they are shared out, the same ones are found") {
  for (const std::int64_t samples : {0, 1, 3, 19, 20, 21, 333}) {
    WorstSamples whole(20, 1);
    for (std::int64_t number = 0; number < samples; ++number) whole.add(some_sample(number));
    CHECK(whole.samples().size() == static_cast<std::size_t>(std::min<std::int64_t>(samples, 20)));
    for (const std::int64_t ranks : {1, 2, 3, 5}) {
      CAPTURE(samples);
      CAPTURE(ranks);
      WorstSamples merged(20, 1);
      for (std::int64_t rank = ranks - 1; rank >= 0; --rank) {
        WorstSamples part(20, 1);
        for (std::int64_t number = rank; number < samples; number += ranks) part.add(some_sample(number));
        merged.merge(part.packed());
      }
      check_same(merged, whole);
    }
  }
}

TEST_CASE("worst samples: none are wanted") {
  WorstSamples none(0, 1);
  none.add(some_sample(1));
  CHECK(none.samples().empty());
}

}  // namespace lockstep
