#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <memory>

#include "tensor/backend.h"
#include "tensor/cuda/cuda_allocator.h"

namespace lockstep {

// One GPU: its memory, and one stream that takes the operations in the order of the calls. Has memory, copies, fills
// and events; the math is what Backend answers for operations a backend lacks.
//
// One thread at a time, any thread: every call selects the device, which CUDA remembers per thread. The destructor is
// local: it waits for this GPU only.
class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(int index);  // REQUIRES: the GPU is visible
  ~CudaBackend() override;
  CudaBackend(const CudaBackend&) = delete;
  CudaBackend& operator=(const CudaBackend&) = delete;

  Device device() const override { return allocator_.device(); }
  Allocator& allocator() override { return allocator_; }

  // The handle is a cudaEvent_t, for other streams to wait on. There are kEvents of them, used in turn: an event that
  // is kept while kEvents more are recorded stands for a later moment then, which is never too early.
  Event record() override;
  void wait(Event event) override;
  void synchronize() override;

  // Host memory that is not pinned is copied through CUDA's own pinned buffers, a little slower.
  void copy(const Tensor& from, const Tensor& to) override;
  void fill(const Tensor& tensor, double value) override;

 private:
  static constexpr std::size_t kEvents = 256;

  void select() const;
  void check_home(const Tensor& tensor) const;

  CudaAllocator allocator_;
  cudaStream_t stream_ = nullptr;
  std::array<cudaEvent_t, kEvents> events_{};  // made when first used
  std::size_t next_event_ = 0;
};

// A CudaBackend if the GPU is visible, else an Error(configuration): how many are, and what to do.
std::unique_ptr<Backend> open_cuda_backend(int index);

}  // namespace lockstep
