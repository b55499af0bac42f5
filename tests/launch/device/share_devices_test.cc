#include "launch/device/share_devices.h"

#include <doctest/doctest.h>

namespace lockstep {
namespace {

using Taken = std::vector<int>;

TEST_CASE("who can use the same things takes them in turn") {
  CHECK(share_devices({}, {0}).empty());
  CHECK(share_devices({{0, 1, 2}, {0, 1, 2}, {0, 1, 2}}, {0, 0, 0}) == Taken{0, 1, 2});
  CHECK(share_devices({{2, 0}, {2, 0}}, {0, 0, 0}) == Taken{2, 0});
  CHECK(share_devices({{0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}}, {0, 0}) == Taken{0, 1, 0, 1, 0});
}

TEST_CASE("who can use more makes room for who can use less") {
  CHECK(share_devices({{0, 1}, {0}}, {0, 0}) == Taken{1, 0});
  CHECK(share_devices({{0, 1}, {1, 2}, {0, 1}, {0}}, {0, 0, 0}).size() == 4);  // three devices: one is shared
  CHECK(share_devices({{0, 1, 2}, {0, 1}, {0}}, {0, 0, 0}) == Taken{2, 1, 0});
  CHECK(share_devices({{0, 1}, {0, 1}, {0}, {0}}, {0, 0}) == Taken{1, 1, 0, 0});  // two on each, not three on one
}

TEST_CASE("what others have already counts") {
  CHECK(share_devices({{0, 1}}, {1, 0}) == Taken{1});
  CHECK(share_devices({{0, 1}, {0, 1}}, {2, 0}) == Taken{1, 1});
  CHECK(share_devices({{0}}, {3}) == Taken{0});
}

}  // namespace
}  // namespace lockstep
