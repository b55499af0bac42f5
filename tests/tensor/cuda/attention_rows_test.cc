#include "tensor/cuda/attention_rows.h"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>

namespace lockstep {
namespace {

alignas(16) const std::array<float, 8> kAtMultiple{};

HeadRows rows_at(const float* data, std::int64_t stride, int count, int head, int head_dim) {
  return {{.data = data, .stride = stride}, 0, count, head, head_dim};
}

TEST_CASE("rows of a head fill a tile if all of it is there and lies in fours") {
  CHECK(rows_at(kAtMultiple.data(), 64, 32, 0, 64).fill(32, 0));
  CHECK(rows_at(kAtMultiple.data() + 4, 68, 33, 0, 64).fill(32, 0));
  CHECK_FALSE(rows_at(kAtMultiple.data(), 64, 31, 0, 64).fill(32, 0));
  for (const int offset : {1, 2, 3}) {
    CHECK_FALSE(rows_at(kAtMultiple.data() + offset, 64, 32, 0, 64).fill(32, 0));
    CHECK_FALSE(rows_at(kAtMultiple.data(), 64 + offset, 32, 0, 64).fill(32, 0));
  }
}

TEST_CASE("a chunk is filled up to the last of a head's columns, wherever the head begins") {
  const HeadRows narrow = rows_at(kAtMultiple.data(), 64, 32, 0, 63);
  CHECK_FALSE(narrow.fill(32, 0));
  const HeadRows wide = rows_at(kAtMultiple.data(), 256, 32, 0, 130);
  CHECK(wide.fill(32, 0));
  CHECK(wide.fill(32, 1));
  CHECK_FALSE(wide.fill(32, 2));
  CHECK_FALSE(rows_at(kAtMultiple.data(), 256, 32, 1, 66).fill(32, 0));
}

TEST_CASE("a part of rows is filled if the rows are") {
  const HeadRows rows = rows_at(kAtMultiple.data(), 64, 70, 0, 64);
  CHECK(rows.part(32, 32).fill(32, 0));
  CHECK_FALSE(rows.part(64, 32).fill(32, 0));
}

}  // namespace
}  // namespace lockstep
