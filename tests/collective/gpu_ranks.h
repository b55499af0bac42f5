#pragma once

#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "collective/slices.h"
#include "support/gpu/fake_gpu.h"
#include "support/gpu/fake_nccl.h"
#include "support/gpu/gate.h"
#include "support/ranks.h"
#include "tensor/cuda/cuda_backend.h"

// Shared by the tests of communicators for GPUs: ranks with GPUs, on the fake runtime, and a check of all operations.
namespace lockstep {

// Waits until `is_so` returns true; gives up after more time than a busy machine takes.
template <class Condition>
bool comes_true(Condition is_so) {
  const Stopwatch watch;
  while (!is_so()) {
    if (watch.seconds() > 60) return false;
    std::this_thread::yield();
  }
  return true;
}

// Runs body on worlds of threads, each rank with the GPU gpu_of(rank).
inline void for_gpu_ranks(std::span<const int> worlds, const std::function<int(int rank)>& gpu_of,
                          const std::function<void(RankContext&, Backend&)>& body) {
  gpu_stand_in::have_gpus(8, std::size_t{1} << 28);
  for (const int world : worlds) {
    for_thread_ranks(world, [&](RankContext& context) {
      CudaBackend backend(gpu_of(context.communicator.rank()));
      body(context, backend);
    });
  }
}

// Values in GPU memory, which the host writes and reads in the order of the Backend's operations.
template <class T>
class GpuValues {
 public:
  GpuValues(Allocator& allocator, Backend& backend, const std::vector<T>& values)
      : backend_(backend),
        written_(values),
        memory_(allocator.allocate(values.size() * sizeof(T))),
        tensor_(view(memory_, dtype_of<T>(), {std::ssize(values)})) {
    write();
  }

  const Tensor& tensor() const { return tensor_; }
  // Starts the copy and returns before it is done.
  void write() { backend_.copy({written_.data(), dtype_of<T>(), tensor_.shape()}, tensor_); }
  std::vector<T> read() {
    std::vector<T> values(written_.size());
    backend_.copy(tensor_, {values.data(), dtype_of<T>(), tensor_.shape()});
    backend_.synchronize();
    return values;
  }

 private:
  Backend& backend_;
  std::vector<T> written_;
  Buffer memory_;
  Tensor tensor_;
};

// Checks every operation on tensors against closed forms; counts may be odd, and slices may differ in length.
void check_gpu_operations(Communicator& communicator, Backend& backend, std::span<const std::int64_t> counts);

}  // namespace lockstep
