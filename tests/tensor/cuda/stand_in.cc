#include <cstddef>

#include "support/gpu/block_runner.h"
#include "support/gpu/fake_gpu.h"
#include "tensor/cuda/cuda_backend.h"
#include "tensor/cuda/gpu_under_test.h"

namespace lockstep {

std::unique_ptr<Backend> gpu() { return open_cuda_backend(0); }

std::unique_ptr<Backend> last_gpu() {
  gpu_stand_in::have_gpus(2, std::size_t{1} << 30);
  const auto first = gpu();
  return open_cuda_backend(1);
}

void on_gpu(const std::function<void(Backend&)>& body) {
  using gpu_stand_in::ThreadOrder;
  for (const ThreadOrder order : {ThreadOrder::descending, ThreadOrder::ascending}) {
    gpu_stand_in::set_thread_order(order);
    body(*gpu());
  }
}

void on_gpu_with_library(const std::function<void(Backend&)>& body) {
  gpu_stand_in::have_cudnn(true);
  on_gpu(body);
  gpu_stand_in::have_cudnn(false);
}

}  // namespace lockstep
