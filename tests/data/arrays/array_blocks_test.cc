#include "data/arrays/array_blocks.h"

#include <doctest/doctest.h>

#include "support/check_error.h"

namespace lockstep {
namespace {

ArrayForm form(std::int64_t rows, std::int64_t row_bytes, std::int64_t unit_rows = 1) {
  return {.name = "'a.h5', data set inputs",
          .type = ElementType::uint8,
          .extents = {rows, row_bytes},
          .unit_rows = unit_rows};
}

constexpr std::int64_t kMany = 100'000'000;

}  // namespace

TEST_CASE("up to 256 MiB go into memory") {
  CHECK(training_layout(form(256, 1 << 20)).block == 0);
  CHECK(training_layout(form(257, 1 << 20)).block == 1);
}

TEST_CASE("a block is about 1 MiB of whole rows, a window 64 MiB of whole blocks") {
  const BlockLayout layout = training_layout(form(kMany, 784));
  CHECK(layout.block == 1338);  // 1337.5 rows are 1 MiB
  CHECK(layout.window_blocks == 63);
  CHECK(block_rows(form(100, 784)) == 100);
  CHECK(block_rows(form(100, 5 << 20)) == 1);
}

TEST_CASE("a block is made of whole chunks") {
  CHECK(training_layout(form(kMany, 784, 100)).block == 1400);
  CHECK(training_layout(form(kMany, 784, 1337)).block == 2674);
  CHECK(training_layout(form(kMany, 784, 1338)).block == 1338);
  const BlockLayout large = training_layout(form(kMany, 784, 40000));
  CHECK(large.block == 40000);
  CHECK(large.window_blocks == 2);
  CHECK(blocks_to_keep(large) == 5);
  CHECK(blocks_to_keep(training_layout(form(kMany, 784))) == 130);
  CHECK(training_layout(form(kMany, 100 << 20)).window_blocks == 1);
}

TEST_CASE("chunks that no window holds are refused, with the cure") {
  check_error(ExitCode::bad_data,
              {"'a.h5', data set inputs", "chunks of 100000 samples", "74 MiB", "chunks=(1337, ...)"},
              [] { training_layout(form(kMany, 784, 100000)); });
}

TEST_CASE("a chunk is a unit if it is packed, small, or narrow enough to be read with its rows") {
  constexpr std::int64_t kMillion = 1 << 20;
  CHECK(rows_of_chunk({.rows = 6, .bytes = 8 * kMillion, .packed = true}, 8 * kMillion) == 6);
  CHECK(rows_of_chunk({.rows = 6, .bytes = 6 * kMillion}, kMillion) == 1);
  CHECK(rows_of_chunk({.rows = 4, .bytes = 4 * kMillion}, kMillion) == 4);
  CHECK(rows_of_chunk({.rows = 100, .bytes = 100 * 100}, kMillion / 2) == 100);
  CHECK(rows_of_chunk({.rows = 100, .bytes = 100 * 100}, kMillion) == 1);  // 100 MiB of rows for 10 kB of a chunk
}

}  // namespace lockstep
