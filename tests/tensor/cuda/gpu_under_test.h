#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tensor/backend.h"
#include "tensor/cpu/host_tensor.h"

// The GPU that the tests of this folder run on, in two binaries: a real one (real_gpu.cc), or the processor in its
// place (stand_in.cc).
namespace lockstep {

// A backend of GPU 0. Without a GPU, where one is asked for, ends the whole binary as skipped.
std::unique_ptr<Backend> gpu();

// A backend of the last GPU that is visible, made while another one is selected if there are several; the stand-in has
// two.
std::unique_ptr<Backend> last_gpu();

// Calls body with a backend of GPU 0; on the stand-in once for each order in which threads of a block take turns, since
// a kernel that lacks a barrier gives a wrong result in one of them.
void on_gpu(const std::function<void(Backend&)>& body);

// The same with a library of convolutions; on a GPU they come from one anyway if the machine has it.
void on_gpu_with_library(const std::function<void(Backend&)>& body);

// Elements of type T in memory of the GPU, which the host reads and writes whole.
template <class T>
struct OnGpu {
  // What was there before an operation writes it: NaN, or numbers that no result has.
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
