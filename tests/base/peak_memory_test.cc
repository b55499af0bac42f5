#include "base/peak_memory.h"

#include <doctest/doctest.h>

#include <vector>

namespace lockstep {
namespace {

TEST_CASE("the peak of memory grows with what is used, and stays when it is given back") {
  constexpr std::int64_t kBytes = 64 << 20;
  const std::int64_t before = peak_memory_bytes();
  REQUIRE(before > 0);
  const std::int64_t in_use = [] {
    const std::vector<char> used(kBytes, 1);
    return used.back() * peak_memory_bytes();
  }();
  CHECK(in_use >= kBytes);
  CHECK(peak_memory_bytes() >= kBytes);
}

TEST_CASE("a process's own memory grows with what is used") {
  constexpr std::int64_t kBytes = 64 << 20;
  const std::vector<char> used(kBytes, 1);
  CHECK(used.back() * own_memory_bytes() >= kBytes);
}

}  // namespace
}  // namespace lockstep
