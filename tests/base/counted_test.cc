#include "base/counted.h"

#include <doctest/doctest.h>

using lockstep::counted;

TEST_CASE("counted: one is singular") {
  CHECK(counted(0, "step") == "0 steps");
  CHECK(counted(1, "step") == "1 step");
  CHECK(counted(2, "step") == "2 steps");
  CHECK(counted(-1, "step") == "-1 steps");
  CHECK(counted(1, "class", "classes") == "1 class");
  CHECK(counted(10, "class", "classes") == "10 classes");
}
