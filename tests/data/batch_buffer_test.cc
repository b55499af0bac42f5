#include "data/batch_buffer.h"

#include <doctest/doctest.h>

#include <vector>

#include "numbers_problem.h"
#include "support/check_error.h"
#include "support/given_problem.h"

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
    CHECK(batch.row_ids.as<std::int64_t>()[row] == ids[row]);
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

// A faulty reader: 5 classes, and sample 3 has label 5.
GivenProblem wrong_label() {
  return GivenProblem(
      {.shape = {.input = {1}, .outputs = 5}, .read = [](Split, std::int64_t sample, const SampleSlot& slot) {
         *slot.label = sample == 3 ? 5 : (sample == 4 ? -1 : 0);
       }});
}

TEST_CASE("a label outside the classes is refused with its sample, whoever wrote the reader") {
  HostAllocator allocator;
  const GivenProblem problem = wrong_label();
  BatchBuffer buffer(problem.shape(), 5, allocator);
  buffer.fill(problem, Split::train, Ids{0, 1, 2});
  CHECK_THROWS_WITH_AS(buffer.fill(problem, Split::test, Ids{2, 3}),
                       doctest::Contains("sample 3 of the test split has label 5, outside the 5 classes 0 to 4"),
                       Error);
  CHECK_THROWS_AS(buffer.fill(problem, Split::train, Ids{4}), Error);
}

// Inputs of an int32 problem: sample, sample + 1, ... below a vocabulary of 10; sample 8 exceeds it, -1 is below it.
GivenProblem symbols() {
  const auto read = [](Split, std::int64_t sample, const SampleSlot& slot) {
    CHECK(slot.input.empty());
    REQUIRE(slot.ids.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) slot.ids[i] = static_cast<std::int32_t>(sample + static_cast<std::int64_t>(i));
    *slot.label = sample > 0 ? 1 : 0;
  };
  return GivenProblem(
      {.shape = {.input = {3}, .outputs = 2, .input_type = DType::int32, .vocabulary = 10}, .read = read});
}

TEST_CASE("numbers of symbols fill an int32 batch, and one outside the vocabulary is refused with its sample") {
  HostAllocator allocator;
  const GivenProblem problem = symbols();
  BatchBuffer buffer(problem.shape(), 2, allocator);
  CHECK(buffer.batch().inputs.dtype() == DType::int32);
  buffer.fill(problem, Split::train, Ids{7, 0});
  CHECK(buffer.batch().inputs.shape() == Shape{2, 3});
  const auto ids = buffer.batch().inputs.span<std::int32_t>();
  CHECK(std::vector<std::int32_t>(ids.begin(), ids.end()) == std::vector<std::int32_t>{7, 8, 9, 0, 1, 2});
  check_error(ExitCode::bad_data, {"sample 8 of the dev split has 10 at position 2", "vocabulary 0 to 9"}, [&] {
    buffer.fill(problem, Split::dev, Ids{1, 8});
  });
  check_error(ExitCode::bad_data, {"sample -1 of the train split has -1 at position 0"},
              [&] { buffer.fill(problem, Split::train, Ids{-1}); });
}

}  // namespace lockstep
