#include "collective/control_values.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "base/error.h"

namespace lockstep {
namespace {

using Words = std::array<float, ControlValues::kWords>;

Words encoded(const ControlValues& values) {
  Words words{};
  values.encode(words);
  return words;
}

Words sum_of(const std::vector<Words>& all) {
  Words sum{};
  for (const Words& words : all) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += words[i];  // in float32, as an all-reduce does
  }
  return sum;
}

}  // namespace

TEST_CASE("one share comes back as it was, the loss to 2^-48, the weight to 2^-36") {
  for (const double value : {0.0, 1.0, -1.0, 0.1, -123456.789, 3.0e-9, 0x1p-48, -0x1p-48, 6.0e10, 0x1.fffffp35}) {
    const ControlValues back = ControlValues::decode(encoded({value, -value, 1}));
    CHECK(std::abs(back.loss - value) <= 0x1p-49);
    CHECK(std::abs(back.weight + value) <= 0x1p-37);
    CHECK(back.requests == 1);
  }
}

TEST_CASE("sums are exact where float64 is, for as many shares as are promised") {
  std::vector<Words> shares;
  for (int share = 1; share <= 4096; ++share) shares.push_back(encoded({share * 0.25, -1.0 * share, share % 2}));
  const ControlValues sum = ControlValues::decode(sum_of(shares));
  CHECK(sum.loss == 4096.0 * 4097 / 2 * 0.25);
  CHECK(sum.weight == -4096.0 * 4097 / 2);
  CHECK(sum.requests == 2048);
}

TEST_CASE("the largest limbs of all shares still add up exactly") {
  const double largest_loss = 0x1p48 - 0x1p-4;
  const double largest_weight = 0x1p36 - 0x1p-16;
  const std::vector<Words> shares(4096, encoded({largest_loss, -largest_weight, 4095}));
  const ControlValues sum = ControlValues::decode(sum_of(shares));
  CHECK(sum.loss == 4096 * largest_loss);
  CHECK(sum.weight == -4096 * largest_weight);
  CHECK(sum.requests == 4096 * 4095);
}

TEST_CASE("the order of summing does not matter") {
  std::mt19937_64 random(301);
  std::uniform_real_distribution<double> exponent(-40, 35);
  std::vector<Words> shares;
  for (int share = 0; share < 100; ++share) {
    const double loss = (share % 3 == 0 ? -1 : 1) * std::exp2(exponent(random));
    shares.push_back(encoded({loss, std::exp2(exponent(random)), share % 5}));
  }
  const Words sum = sum_of(shares);
  for (int round = 0; round < 20; ++round) {
    std::ranges::shuffle(shares, random);
    CHECK(sum_of(shares) == sum);
  }
}

TEST_CASE("a share that is not finite marks the sum, whatever the others are") {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {infinity, -infinity, nan, 0x1p48, -1e300}) {
    for (const ControlValues& share : {ControlValues{bad, 1, 1}, ControlValues{1, bad, 1}}) {
      const ControlValues sum = ControlValues::decode(sum_of({encoded({2, 3, 0}), encoded(share)}));
      CHECK(std::isnan(sum.loss));
      CHECK(std::isnan(sum.weight));
      CHECK(sum.requests == 1);
    }
  }
}

TEST_CASE("stop votes that do not fit are refused") {
  Words words{};
  CHECK_THROWS_AS(ControlValues({0, 0, -1}).encode(words), Error);
  CHECK_THROWS_AS(ControlValues({0, 0, 4096}).encode(words), Error);
}

}  // namespace lockstep
