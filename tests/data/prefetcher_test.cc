#include "data/prefetcher.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/cpu_affinity.h"
#include "numbers_problem.h"
#include "support/check_error.h"

namespace lockstep {
namespace {

constexpr auto kLabels = ProblemShape::Target::class_label;

// Batch n has n % 4 samples: 10 n, 10 n + 1, ...; there are `batches` of them.
Prefetcher::Plan numbered(std::int64_t batches) {
  return [batches](std::int64_t n, PlannedBatch& batch) {
    batch.sample_ids.clear();
    for (std::int64_t i = 0; i < n % 4; ++i) batch.sample_ids.push_back(10 * n + i);
    return n < batches;
  };
}

// Plans sample n as batch n.
bool one_each(std::int64_t n, PlannedBatch& batch) {
  batch.sample_ids.assign(1, n);
  return true;
}

void check_batch(const Batch& batch, std::int64_t n) {
  REQUIRE(batch.size() == n % 4);
  for (std::int64_t i = 0; i < batch.size(); ++i) {
    REQUIRE(batch.row_ids.as<std::int64_t>()[i] == 10 * n + i);
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

TEST_CASE("batches stay as they are until they are released, as many as there is room for") {
  HostAllocator allocator;
  const NumbersProblem problem(kLabels);
  Prefetcher prefetcher(problem, numbered(100), allocator, {.capacity = 3, .depth = 2});
  for (std::int64_t n = 0; n < 20; n += 2) {
    const Batch& batch = prefetcher.next();
    const Batch& after = prefetcher.next();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // gives a faulty thread time to misbehave
    check_batch(batch, n);
    check_batch(after, n + 1);
    CHECK_THROWS_AS(prefetcher.next(), Error);
    prefetcher.release();
    check_batch(after, n + 1);
    prefetcher.release();
  }
}

TEST_CASE("it reads ahead as far as its depth and no further") {
  HostAllocator allocator;
  const NumbersProblem problem(kLabels);
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

TEST_CASE("what the plan throws comes out as well") {
  HostAllocator allocator;
  const NumbersProblem problem(kLabels);
  const Prefetcher::Plan broken = [](std::int64_t n, PlannedBatch& batch) {
    batch.sample_ids.clear();
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
    const Prefetcher::Plan plan = [&](std::int64_t n, PlannedBatch& batch) {
      batch.sample_ids.clear();
      if (n == 0) cores_of_reader = allowed_cores();
      return true;
    };
    Prefetcher prefetcher(problem, plan, allocator, {.capacity = 1, .depth = 1});
    prefetcher.next();
    CHECK(cores_of_reader == all);
  }).join();
}

namespace {

// Images (2, 3, 1) that block until the test allows reading them, and that record announced blocks.
class GatedProblem final : public Problem {
 public:
  ProblemShape shape() const override {
    return {.input = {2, 3, 1}, .target = ProblemShape::Target::class_label, .outputs = 5};
  }
  std::int64_t count(Split /*split*/) const override { return 1000; }
  void read(Split /*split*/, std::int64_t sample, const SampleSlot& slot) const override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return sample < readable_; });
    std::ranges::fill(slot.input, static_cast<float>(sample + 1));
    *slot.label = 0;
    ++read_;
    changed_.notify_all();
  }
  void expect_block(std::int64_t block) const override {
    const std::lock_guard lock(mutex_);
    expected_.push_back(block);
  }

  // Allows samples 0 .. count - 1 to be read from now on.
  void let_read(std::int64_t count) const {
    const std::lock_guard lock(mutex_);
    readable_ = count;
    changed_.notify_all();
  }
  std::int64_t samples_read() const {
    const std::lock_guard lock(mutex_);
    return read_;
  }
  void wait_until_read(std::int64_t count) const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return read_ >= count; });
  }
  std::vector<std::int64_t> expected() const {
    const std::lock_guard lock(mutex_);
    return expected_;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable std::int64_t readable_ = 0;
  mutable std::int64_t read_ = 0;
  mutable std::vector<std::int64_t> expected_;
};

}  // namespace

TEST_CASE("data that are read faster than they are used cost no wait: what was read ahead is there at once") {
  HostAllocator allocator;
  const GatedProblem problem;
  Prefetcher prefetcher(problem, one_each, allocator, {.capacity = 1, .depth = 4});
  // No other batch can be read while these are used, so a next() that waited for one would never return.
  for (std::int64_t used = 0; used < 12; used += 4) {
    problem.let_read(used + 4);
    problem.wait_until_read(used + 4);
    for (std::int64_t n = used; n < used + 4; ++n) {
      CHECK(prefetcher.next().inputs.as<float>()[0] == static_cast<float>(n + 1));
      prefetcher.release();
    }
  }
  problem.let_read(1000);
}

TEST_CASE("data that are read slower than they are used: each batch is waited for") {
  HostAllocator allocator;
  const GatedProblem problem;
  Prefetcher prefetcher(problem, one_each, allocator, {.capacity = 1});
  const std::jthread disk([&problem] {
    for (std::int64_t n = 0; n < 20; ++n) {
      problem.let_read(n + 1);
      problem.wait_until_read(n + 1);
    }
    problem.let_read(1000);
  });
  for (std::int64_t n = 0; n < 20; ++n) {
    CHECK(prefetcher.next().inputs.as<float>()[0] == static_cast<float>(n + 1));
    CHECK(problem.samples_read() > n);
    prefetcher.release();
  }
}

TEST_CASE("blocks are announced to the problem, in order, once the batch that comes with them is read") {
  HostAllocator allocator;
  const GatedProblem problem;
  problem.let_read(1000);
  const auto plan = [](std::int64_t n, PlannedBatch& batch) {
    batch.blocks_ahead.assign({2 * n, 2 * n + 1});
    return one_each(n, batch) && n < 3;
  };
  Prefetcher prefetcher(problem, plan, allocator, {.capacity = 1, .depth = 4});
  for (int n = 0; n < 3; ++n) {
    prefetcher.next();
    prefetcher.release();
  }
  check_error(ExitCode::internal, {"no more batches"}, [&] { prefetcher.next(); });
  CHECK(problem.expected() == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5});
}

TEST_CASE("batches are augmented for their step") {
  HostAllocator allocator;
  const GatedProblem problem;
  problem.let_read(1000);
  Augmentation augmentation(problem.shape(), {.shift = 1, .seed = 3});
  const auto plan = [](std::int64_t n, PlannedBatch& batch) {
    batch.step = 1 + n / 2;
    return one_each(n, batch);
  };
  Prefetcher prefetcher(problem, plan, allocator, {.capacity = 1, .augmentation = &augmentation});
  const Augmentation reference(problem.shape(), {.shift = 1, .seed = 3});
  for (std::int64_t n = 0; n < 20; ++n) {
    const Batch& batch = prefetcher.next();
    const Augmentation::Change change = reference.change(1 + n / 2, n);
    for (std::int64_t y = 0; y < 2; ++y) {
      for (std::int64_t x = 0; x < 3; ++x) {
        const bool inside = y - change.dy >= 0 && y - change.dy < 2 && x - change.dx >= 0 && x - change.dx < 3;
        CHECK(batch.inputs.as<float>()[3 * y + x] == (inside ? static_cast<float>(n + 1) : 0.0F));
      }
    }
    prefetcher.release();
  }
}

}  // namespace lockstep
