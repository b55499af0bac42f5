#include "data/sequences/random_words.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace lockstep {

TEST_CASE("the words are those of the stream's blocks, in their order") {
  const RandomStream stream{.seed = 3, .purpose = Purpose::generated_data, .stream = 2, .sample = 11};
  RandomWords words(stream);
  for (std::uint32_t block = 0; block < 5; ++block) {
    for (const std::uint32_t word : stream.block(block)) CHECK(words.next() == word);
  }
}

TEST_CASE("whole numbers fill their range evenly") {
  RandomWords words({.seed = 3, .purpose = Purpose::generated_data});
  constexpr int kDraws = 70'000;
  std::vector<int> drawn(7);
  for (int i = 0; i < kDraws; ++i) ++drawn.at(static_cast<std::size_t>(words.below(7)));
  for (const int times : drawn) CHECK(times == doctest::Approx(kDraws / 7.0).epsilon(0.05));  // 5 deviations
  for (int i = 0; i < 10; ++i) CHECK(words.below(1) == 0);
}

}  // namespace lockstep
