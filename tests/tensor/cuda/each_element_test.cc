#include "tensor/cuda/each_element.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep {
namespace {

// Checks that each element stored was loaded under the same number, and counts how often.
struct Visits {
  std::int64_t load(std::int64_t i) const { return i; }
  void store(std::int64_t i, std::int64_t loaded) const {
    CHECK(loaded == i);
    ++times[i];
  }

  int* times;
};

struct MatrixVisits {
  std::int64_t load(std::int64_t row, std::int64_t column) const { return 1000 * row + column; }
  void store(std::int64_t row, std::int64_t column, std::int64_t loaded) const {
    CHECK(loaded == 1000 * row + column);
    CHECK(column < columns);
    ++times[row * columns + column];
  }

  int* times;
  std::int64_t columns;
};

// Three blocks of 64 threads: a sweep of the grid covers 192 elements, and four of them are read at once.
constexpr std::int64_t kBlocks = 3;
constexpr int kThreads = 64;

TEST_CASE("every element is read and written once, however many the grid has to take") {
  for (const std::int64_t count : {0, 1, 191, 192, 193, 767, 768, 769, 1535, 1537, 2000}) {
    CAPTURE(count);
    std::vector<int> times(static_cast<std::size_t>(count));
    gpu_stand_in::run_grid(kBlocks, kThreads, [&] {
      Visits visits{times.data()};
      each_element(visits, count);
    });
    CHECK(times == std::vector<int>(times.size(), 1));
  }
}

TEST_CASE("every element of a matrix has its row and its column, be a row longer or shorter than a sweep") {
  for (const std::int64_t columns : {1, 3, 63, 64, 192, 200, 385}) {
    for (const std::int64_t rows : {1, 2, 7, 31}) {
      CAPTURE(rows);
      CAPTURE(columns);
      std::vector<int> times(static_cast<std::size_t>(rows * columns));
      gpu_stand_in::run_grid(kBlocks, kThreads, [&] {
        InRows<MatrixVisits> visits({times.data(), columns}, columns);
        each_element(visits, rows * columns);
      });
      CHECK(times == std::vector<int>(times.size(), 1));
    }
  }
}

}  // namespace
}  // namespace lockstep
