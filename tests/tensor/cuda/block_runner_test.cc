#include "support/gpu/block_runner.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "support/gpu/device_code.h"
#include "tensor/cuda/block_reduction.h"

namespace lockstep {
namespace {

using gpu_stand_in::run_grid;
using gpu_stand_in::ThreadOrder;

constexpr int kThreads = 96;

// Each thread writes its number to the place that its mirror image reads.
void mirror(std::vector<int>& result, bool with_barrier) {
  static std::vector<int> shared;
  shared.assign(kThreads, -1);
  run_grid(1, kThreads, [&] {
    const std::size_t own = threadIdx.x;
    shared[own] = static_cast<int>(own);
    if (with_barrier) __syncthreads();
    result[own] = shared[kThreads - 1 - own];
  });
}

std::vector<int> mirrored(ThreadOrder order, bool with_barrier) {
  gpu_stand_in::set_thread_order(order);
  std::vector<int> result(kThreads, -2);
  mirror(result, with_barrier);
  gpu_stand_in::set_thread_order(ThreadOrder::ascending);
  return result;
}

std::string message_of(const std::function<void()>& kernel) {
  try {
    run_grid(1, kThreads, kernel);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_CASE("every thread of every block runs once") {
  std::vector<int> calls(5 * kThreads);
  run_grid(5, kThreads, [&] { ++calls[static_cast<std::size_t>(first_index())]; });
  CHECK(calls == std::vector<int>(calls.size(), 1));
}

TEST_CASE("a barrier makes the block's writes visible to all its threads, in either order of threads") {
  std::vector<int> expected(kThreads);
  std::iota(expected.rbegin(), expected.rend(), 0);
  CHECK(mirrored(ThreadOrder::ascending, true) == expected);
  CHECK(mirrored(ThreadOrder::descending, true) == expected);
}

TEST_CASE("a barrier taken out gives another result in another order of threads") {
  CHECK(mirrored(ThreadOrder::ascending, false) != mirrored(ThreadOrder::descending, false));
}

TEST_CASE("reductions give every thread the whole, with shuffles one after the other") {
  std::vector<long> sums(kThreads);
  std::vector<int> maxima(kThreads);
  static long scratch[kWarp];
  static int other_scratch[kWarp];
  run_grid(1, kThreads, [&] {
    const std::size_t own = threadIdx.x;
    sums[own] = reduce_block(static_cast<long>(own), Sum(), scratch);
    maxima[own] = reduce_block(static_cast<int>(own * 37 % kThreads), Maximum(), other_scratch);
  });
  CHECK(sums == std::vector<long>(kThreads, kThreads * (kThreads - 1L) / 2));
  CHECK(maxima == std::vector<int>(kThreads, kThreads - 1));
}

TEST_CASE("a lane's value reaches the lanes that ask for it") {
  std::vector<int> from(kThreads);
  run_grid(1, kThreads, [&] {
    const int own = static_cast<int>(threadIdx.x);
    from[threadIdx.x] = shuffle_from(own, own % 7);
  });
  for (int i = 0; i < kThreads; ++i) CHECK(from[static_cast<std::size_t>(i)] == i / kWarp * kWarp + i % 7);
}

TEST_CASE("threads that meet at different barriers, or that have returned, are named with their places") {
  const std::string different = message_of([] {
    if (threadIdx.x < 40) {
      __syncthreads();
    } else {
      __syncthreads();
    }
  });
  CHECK(different.find("block_runner_test.cc") != std::string::npos);
  CHECK(different.find("thread 40 waits at") != std::string::npos);
  const std::string returned = message_of([] {
    if (threadIdx.x != 3) __syncthreads();
  });
  CHECK(returned.find("thread 3 has returned") != std::string::npos);
  const std::string shuffle = message_of([] {
    if (threadIdx.x != 33) shuffle_xor(1, 1);
  });
  CHECK(shuffle.find("thread 33 has returned") != std::string::npos);
  CHECK(message_of([] { __syncthreads(); }) == "no error");  // no effect remains
}

}  // namespace
}  // namespace lockstep
