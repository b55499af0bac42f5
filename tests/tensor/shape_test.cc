#include "tensor/shape.h"

#include <doctest/doctest.h>

#include "base/error.h"

namespace lockstep {

TEST_CASE("a shape knows its extents and elements") {
  CHECK(Shape{}.elements() == 1);
  CHECK(Shape{3, 5, 7}.elements() == 105);
  CHECK(Shape{3, 0, 7}.elements() == 0);
  CHECK(Shape{128, 784}.text() == "(128, 784)");
  CHECK(Shape{2, 3}.with_front(9) == Shape{9, 2, 3});
  CHECK(Shape{9, 2, 3}.without_front() == Shape{2, 3});
}

TEST_CASE("a shape refuses what it cannot be") {
  CHECK_THROWS_AS(Shape({1, -2}), Error);
  CHECK_THROWS_AS(Shape({1, 2, 3, 4, 5, 6}), Error);
  CHECK_THROWS_AS(Shape({1, 2, 3, 4, 5}).with_front(1), Error);
  CHECK_THROWS_AS(Shape{}.without_front(), Error);
  CHECK_THROWS_AS((Shape{2, 3}[2]), Error);
}

}  // namespace lockstep
