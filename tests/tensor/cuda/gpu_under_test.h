#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tensor/backend.h"
#include "tensor/cpu/host_tensor.h"

// The GPU that the tests of this folder run on, in two binaries: a real one (real_gpu.cc), or a fake one (stand_in.cc).
namespace lockstep {

// Returns a backend of GPU 0. Without a real GPU, ends the whole binary as skipped.
std::unique_ptr<Backend> gpu();

// Returns a backend of the last visible GPU, made while another one is selected if there are several; there are two
// fake ones.
std::unique_ptr<Backend> last_gpu();

// Calls body with a backend of GPU 0; on the fake GPU once for each order in which threads of a block take turns, since
// a kernel that lacks a barrier gives a wrong result in one of them.
void on_gpu(const std::function<void(Backend&)>& body);

// The same with a library of convolutions; a real GPU uses one anyway if the machine has it.
void on_gpu_with_library(const std::function<void(Backend&)>& body);

// Elements of type T in GPU memory, which the host reads and writes as a whole.
template <class T>
struct OnGpu {
  // Fills the memory with NaN, or with numbers that no result has, for an operation to overwrite.
  OnGpu(Backend& gpu, const Shape& shape) : OnGpu(gpu, Host<T>::of(shape, poison(shape.elements()))) {}
  OnGpu(Backend& gpu, const Host<T>& values)
      : backend(gpu),
        memory(gpu.allocator().allocate(values.data.size() * sizeof(T))),
        tensor(view(memory, dtype_of<T>(), values.shape)) {
    Host<T> copy = values;
    gpu.copy(copy.tensor(), tensor);
    gpu.synchronize();
  }

  std::vector<T> read() const {
    Host<T> host(tensor.shape());
    backend.copy(tensor, host.tensor());
    backend.synchronize();
    return host.data;
  }

  static std::vector<T> poison(std::int64_t count) {
    return std::vector<T>(static_cast<std::size_t>(count),
                          std::numeric_limits<T>::has_quiet_NaN ? std::numeric_limits<T>::quiet_NaN() : T{77});
  }

  Backend& backend;
  Buffer memory;
  Tensor tensor;
};

}  // namespace lockstep
