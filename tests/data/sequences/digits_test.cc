#include "data/sequences/digits.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "data/sequences/long_number.h"
#include "data/sequences/random_words.h"

namespace lockstep {
namespace {

using Digits = std::vector<std::int32_t>;

Digits sum(const Digits& a, const Digits& b, std::int32_t base) {
  Digits result{7, 7, 7};  // overwritten
  add_digits(a, b, base, result);
  return result;
}

Digits product(const Digits& a, const Digits& b, std::int32_t base) {
  Digits result{7, 7, 7};
  multiply_digits(a, b, base, result);
  return result;
}

Digits random_digits(std::int32_t count, std::int32_t base, RandomWords& words) {
  Digits digits;
  digits.reserve(static_cast<std::size_t>(count));
  for (std::int32_t i = 0; i < count; ++i) digits.push_back(words.below(base));
  return digits;
}

}  // namespace

TEST_CASE("sums and products by hand") {
  CHECK(sum({0}, {0}, 2) == Digits{0});
  CHECK(sum({1}, {1}, 2) == Digits{0, 1});
  CHECK(sum({1, 1, 1}, {1}, 2) == Digits{0, 0, 0, 1});
  CHECK(sum({9, 9}, {1}, 10) == Digits{0, 0, 1});
  CHECK(sum({4}, {3, 2}, 10) == Digits{7, 2});
  CHECK(product({0}, {3, 2, 1}, 10) == Digits{0});
  CHECK(product({1, 1}, {1, 1}, 2) == Digits{1, 0, 0, 1});
  CHECK(product({2, 1}, {3, 1}, 10) == Digits{6, 5, 1});
  CHECK(product({9, 9}, {9, 9}, 10) == Digits{1, 0, 8, 9});
}

TEST_CASE("zeros that lead do not count") {
  CHECK(sum({1, 0, 0}, {2, 0}, 10) == Digits{3});
  CHECK(product({5, 0}, {2, 0, 0}, 10) == Digits{0, 1});
  CHECK(product({0, 0}, {0, 0}, 10) == Digits{0});
}

TEST_CASE("nines of four hundred digits") {
  const Digits nines(400, 9);
  Digits square(800, 0);  // (10^n - 1)^2 = 10^2n - 2 * 10^n + 1
  square[0] = 1;
  square[400] = 8;
  for (std::size_t i = 401; i < square.size(); ++i) square[i] = 9;
  CHECK(product(nines, nines, 10) == square);
}

TEST_CASE("sums and products are those of words of 32 bits") {
  RandomWords words({.seed = 5, .purpose = Purpose::generated_data});
  for (int i = 0; i < 300; ++i) {
    const std::int32_t base = 2 + words.below(15);
    const Digits a = random_digits(1 + words.below(200), base, words);
    const Digits b = random_digits(1 + words.below(200), base, words);
    const LongNumber big_a = LongNumber::of_digits(a, base);
    const LongNumber big_b = LongNumber::of_digits(b, base);
    LongNumber big_sum = big_a;
    big_sum.add(big_b);
    CHECK(sum(a, b, base) == big_sum.digits(base));
    CHECK(product(a, b, base) == big_a.times(big_b).digits(base));
  }
}

}  // namespace lockstep
