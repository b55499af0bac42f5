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

// What tests of communicators for GPUs share: ranks with GPUs, on the fake runtime, and a table of operations.
namespace lockstep {

// Returns whether `is_so` comes to be so, in more time than a busy machine takes.
template <class Condition>
bool comes_true(Condition is_so) {
  const Stopwatch watch;
  while (!is_so()) {
    if (watch.seconds() > 60) return false;
    std::this_thread::yield();
  }
  return true;
}

// Worlds of threads, each rank with the GPU that gpu_of(rank) names.
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

// Values of a GPU, which the host writes and reads in the order of the Backend's operations.
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
  // On its way when this returns.
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

// Every operation on tensors, against closed forms; counts may be odd, and are not the same for each rank of a slice.
void check_gpu_operations(Communicator& communicator, Backend& backend, std::span<const std::int64_t> counts);

}  // namespace lockstep
