#include "data/batch_buffer.h"

#include <doctest/doctest.h>

#include <vector>

#include "check_error.h"
#include "numbers_problem.h"

namespace lockstep {
namespace {

using Ids = std::vector<std::int64_t>;

void check_batch(const Batch& batch, const Ids& ids, ProblemShape::Target target) {
  const auto size = std::ssize(ids);
  REQUIRE(batch.size() == size);
  REQUIRE(batch.inputs.shape() == Shape{size, 2, 3});
  REQUIRE(batch.weights.shape() == Shape{size});
  const bool labels = target == ProblemShape::Target::class_label;
  REQUIRE(batch.targets.shape() == (labels ? Shape{size} : Shape{size, 2}));
  for (std::size_t row = 0; row < ids.size(); ++row) {
    CHECK(batch.sample_ids.as<std::int64_t>()[row] == ids[row]);
    CHECK(batch.weights.as<float>()[row] == 1.0F);
    for (std::size_t i = 0; i < 6; ++i) CHECK(batch.inputs.as<float>()[row * 6 + i] == static_cast<float>(ids[row]));
    if (labels) {
      CHECK(batch.targets.as<std::int32_t>()[row] == ids[row] % 5);
    } else {
      CHECK(batch.targets.as<float>()[row * 2] == static_cast<float>(ids[row]));
      CHECK(batch.targets.as<float>()[row * 2 + 1] == -static_cast<float>(ids[row]));
    }
  }
}

}  // namespace

TEST_CASE("a batch has its samples in order, whatever was in the buffer before") {
  HostAllocator allocator;
  for (const auto target : {ProblemShape::Target::class_label, ProblemShape::Target::real}) {
    const NumbersProblem problem(target);
    BatchBuffer buffer(problem.shape(), 5, allocator);
    CHECK(buffer.batch().size() == 0);
    for (const Ids& ids : {Ids{7, 3, 999999, 3, 0}, Ids{}, Ids{12}, Ids{4, 5, 6, 7}}) {
      buffer.fill(problem, Split::train, ids);
      check_batch(buffer.batch(), ids, target);
    }
  }
}

TEST_CASE("a buffer for shares that are always empty") {
  HostAllocator allocator;
  const NumbersProblem problem(ProblemShape::Target::class_label);
  BatchBuffer buffer(problem.shape(), 0, allocator);
  buffer.fill(problem, Split::train, {});
  CHECK(buffer.batch().size() == 0);
}

TEST_CASE("more samples than the buffer holds are an internal error, a bad sample is its own") {
  HostAllocator allocator;
  const NumbersProblem problem(ProblemShape::Target::class_label, 4);
  BatchBuffer buffer(problem.shape(), 2, allocator);
  check_error(ExitCode::internal, {"more samples"}, [&] { buffer.fill(problem, Split::train, Ids{1, 2, 3}); });
  check_error(ExitCode::bad_data, {"sample 4"}, [&] { buffer.fill(problem, Split::train, Ids{1, 4}); });
}

}  // namespace lockstep
