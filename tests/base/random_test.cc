#include "base/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

using lockstep::philox4x32;
using lockstep::PhiloxBlock;
using lockstep::Purpose;
using lockstep::RandomStream;

TEST_CASE("philox4x32-10: the known-answer vectors that Random123 publishes") {
  CHECK(philox4x32({0, 0, 0, 0}, {0, 0}) == PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
        PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  // Counter and key are digits of pi.
  CHECK(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("random streams: everything they are keyed by changes the draw") {
  const RandomStream base{1, Purpose::dropout, 2, 3, 4};
  std::set<PhiloxBlock> draws = {base.block(0), base.block(1)};
  for (const RandomStream& other :
       {RandomStream{2, Purpose::dropout, 2, 3, 4},
        RandomStream{1 + (std::uint64_t{1} << 32), Purpose::dropout, 2, 3, 4},
        RandomStream{1, Purpose::shuffle, 2, 3, 4}, RandomStream{1, Purpose::dropout, 3, 3, 4},
        RandomStream{1, Purpose::dropout, 2, 4, 4}, RandomStream{1, Purpose::dropout, 2, 3, 5},
        RandomStream{1, Purpose::dropout, 2, 3, 4 + (std::uint64_t{1} << 32)}}) {
    draws.insert(other.block(0));
  }
  CHECK(draws.size() == 9);
}

TEST_CASE("random streams: the counter's layout, which fixes the bits of every run") {
  const RandomStream stream{0x1122334455667788, Purpose::generated_data, 0xabcd, 7, 0x12'89abcdef};
  CHECK(stream.block(5) == philox4x32({5, 7, 0x89abcdef, 0x12abcd04}, {0x55667788, 0x11223344}));
}

TEST_CASE("uniform floats: in [0, 1), with the mean and spread of a uniform distribution") {
  CHECK(lockstep::uniform_float(0) == 0.0F);
  CHECK(lockstep::uniform_float(0xffffffff) == 1.0F - 0x1p-24F);
  constexpr int kBlocks = 4096;
  double sum = 0;
  double squares = 0;
  const RandomStream stream{9, Purpose::initial_value};
  for (std::uint32_t index = 0; index < kBlocks; ++index) {
    for (const std::uint32_t word : stream.block(index)) {
      const double draw = lockstep::uniform_float(word);
      sum += draw;
      squares += draw * draw;
    }
  }
  constexpr double kCount = 4 * kBlocks;
  // Mean 1/2 with standard error 1 / sqrt(12 n); mean of squares 1/3 with sqrt(4 / 45 / n). Four of each.
  CHECK(std::abs(sum / kCount - 0.5) < 4 / std::sqrt(12 * kCount));
  CHECK(std::abs(squares / kCount - 1.0 / 3) < 4 * std::sqrt(4 / 45.0 / kCount));
}
