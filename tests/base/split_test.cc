#include "base/split.h"

#include <doctest/doctest.h>

namespace lockstep {

TEST_CASE("a text is split at its separators, also into empty parts") {
  using Parts = std::vector<std::string>;
  CHECK(split_at("a,bc,d", ',') == Parts{"a", "bc", "d"});
  CHECK(split_at("5x7", 'x') == Parts{"5", "7"});
  CHECK(split_at("alone", ',') == Parts{"alone"});
  CHECK(split_at("", ',') == Parts{""});
  CHECK(split_at(",a,,", ',') == Parts{"", "a", "", ""});
}

}  // namespace lockstep
