#include "base/median.h"

#include <doctest/doctest.h>

namespace lockstep {

TEST_CASE("the value in the middle, the upper one of two") {
  CHECK(median({3}) == 3);
  CHECK(median({5, 1}) == 5);
  CHECK(median({9, 1, 2}) == 2);
  CHECK(median({9, 1, 2, 4}) == 4);
}

}  // namespace lockstep
