#include "data/prefetcher.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/cpu_affinity.h"
#include "check_error.h"
#include "numbers_problem.h"

namespace lockstep {
namespace {

using Ids = std::vector<std::int64_t>;

constexpr auto kLabels = ProblemShape::Target::class_label;

// Batch n has n % 4 samples: 10 n, 10 n + 1, ...; there are `batches` of them.
Prefetcher::NextIds numbered(std::int64_t batches) {
  return [batches](std::int64_t n, Ids& ids) {
    ids.clear();
    for (std::int64_t i = 0; i < n % 4; ++i) ids.push_back(10 * n + i);
    return n < batches;
  };
}

void check_batch(const Batch& batch, std::int64_t n) {
  REQUIRE(batch.size() == n % 4);
  for (std::int64_t i = 0; i < batch.size(); ++i) {
    REQUIRE(batch.sample_ids.as<std::int64_t>()[i] == 10 * n + i);
    REQUIRE(batch.inputs.as<float>()[6 * i + 5] == static_cast<float>(10 * n + i));
    REQUIRE(batch.targets.as<std::int32_t>()[i] == (10 * n + i) % 5);
  }
}

}  // namespace

TEST_CASE("batches come in order and whole, at any depth") {
  HostAllocator allocator;
  const NumbersProblem problem(kLabels);
  for (const int depth : {1, 2, 4, 7}) {
    CAPTURE(depth);
    Prefetcher prefetcher(problem, numbered(1000), allocator, {.capacity = 3, .depth = depth});
    for (std::int64_t n = 0; n < 1000; ++n) {
      check_batch(prefetcher.next(), n);
      prefetcher.release();
    }
    check_error(ExitCode::internal, {"no more batches"}, [&] { prefetcher.next(); });
  }
}

TEST_CASE("a batch stays as it is until it is released") {
  HostAllocator allocator;
  const NumbersProblem problem(kLabels);
  Prefetcher prefetcher(problem, numbered(100), allocator, {.capacity = 3, .depth = 2});
  for (std::int64_t n = 0; n < 20; ++n) {
    const Batch& batch = prefetcher.next();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // time for the thread to do wrong
    check_batch(batch, n);
    CHECK(&prefetcher.next() == &batch);
    prefetcher.release();
  }
}

TEST_CASE("it reads ahead as far as its depth and no further") {
  HostAllocator allocator;
  const NumbersProblem problem(kLabels);
  const auto one_each = [](std::int64_t n, Ids& ids) {
    ids.assign(1, n);
    return true;
  };
  Prefetcher prefetcher(problem, one_each, allocator, {.capacity = 1, .depth = 3});
  const Stopwatch watch;
  while (problem.reads() < 3 && watch.seconds() < 20) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(problem.reads() == 3);
  prefetcher.next();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(problem.reads() == 3);
  prefetcher.release();
  while (problem.reads() < 4 && watch.seconds() < 20) std::this_thread::yield();
  CHECK(problem.reads() == 4);
}

TEST_CASE("what the reader throws comes out at its own batch") {
  HostAllocator allocator;
  const NumbersProblem problem(kLabels, 61);  // in batch 6
  Prefetcher prefetcher(problem, numbered(1000), allocator, {.capacity = 3, .depth = 4});
  for (std::int64_t n = 0; n < 6; ++n) {
    check_batch(prefetcher.next(), n);
    prefetcher.release();
  }
  for (int times = 0; times < 2; ++times) {
    check_error(ExitCode::bad_data, {"sample 61 is bad"}, [&] { prefetcher.next(); });
  }
  check_error(ExitCode::internal, {"no batch is held"}, [&] { prefetcher.release(); });
}

TEST_CASE("what next_ids throws comes out as well") {
  HostAllocator allocator;
  const NumbersProblem problem(kLabels);
  const Prefetcher::NextIds broken = [](std::int64_t n, Ids& ids) {
    ids.clear();
    if (n == 2) throw Error(ExitCode::configuration, "no plan");
    return true;
  };
  Prefetcher prefetcher(problem, broken, allocator, {.capacity = 3, .depth = 4});
  for (std::int64_t n = 0; n < 2; ++n) {
    CHECK(prefetcher.next().size() == 0);
    prefetcher.release();
  }
  check_error(ExitCode::configuration, {"no plan"}, [&] { prefetcher.next(); });
}

TEST_CASE("it ends at once: before the first batch, with a full ring, while reading, with a failure nobody met") {
  HostAllocator allocator;
  const NumbersProblem problem(kLabels, 21);  // in batch 2
  const Stopwatch watch;
  for (int times = 0; times < 50; ++times) {
    Prefetcher unused(problem, numbered(1000), allocator, {.capacity = 3, .depth = 1 + times % 5});
    if (times % 2 == 0) unused.next();
    if (times % 10 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  CHECK(watch.seconds() < 20);
}

TEST_CASE("its thread may use every core though its maker is bound to one") {
  HostAllocator allocator;
  const NumbersProblem problem(kLabels);
  std::string cores_of_reader;
  std::thread([&] {
    allow_all_cores();
    const std::string all = allowed_cores();
    const Prefetcher::NextIds next_ids = [&](std::int64_t n, Ids& ids) {
      ids.clear();
      if (n == 0) cores_of_reader = allowed_cores();
      return true;
    };
    Prefetcher prefetcher(problem, next_ids, allocator, {.capacity = 1, .depth = 1});
    prefetcher.next();
    CHECK(cores_of_reader == all);
  }).join();
}

}  // namespace lockstep
