#include "tensor/cuda/cuda_backend.h"

#include <fmt/format.h>

#include "tensor/cuda/cuda_check.h"
#include "tensor/cuda/kernels.h"

namespace lockstep {

CudaBackend::CudaBackend(int index) : allocator_(index) {
  select();
  // Independent of CUDA's default stream, so that the work of others in this process never holds a step up.
  LS_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
}

CudaBackend::~CudaBackend() {
  // Nothing is checked: an error here is a second one, and the first one is on its way up.
  cudaSetDevice(allocator_.device().index);
  cudaStreamSynchronize(stream_);
  for (cudaEvent_t event : events_) {
    if (event != nullptr) cudaEventDestroy(event);
  }
  cudaStreamDestroy(stream_);
}

void CudaBackend::select() const { LS_CUDA(cudaSetDevice(allocator_.device().index)); }

Event CudaBackend::record() {
  select();
  cudaEvent_t& event = events_[next_event_++ % kEvents];
  if (event == nullptr) LS_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  LS_CUDA(cudaEventRecord(event, stream_));
  return {event};
}

void CudaBackend::wait(Event event) {
  if (event.handle == nullptr) return;
  select();
  LS_CUDA(cudaStreamWaitEvent(stream_, static_cast<cudaEvent_t>(event.handle), 0));
}

void CudaBackend::synchronize() {
  select();
  LS_CUDA(cudaStreamSynchronize(stream_));
}

void CudaBackend::check_home(const Tensor& tensor) const {
  LS_CHECK(tensor.device() == device(),
           fmt::format("a tensor on {} given to {}", tensor.device().text(), device().text()));
}

void CudaBackend::copy(const Tensor& from, const Tensor& to) {
  LS_CHECK(from.dtype() == to.dtype() && from.count() == to.count(),
           fmt::format("copy of {} {} to {} {}", name(from.dtype()), from.shape().text(), name(to.dtype()),
                       to.shape().text()));
  for (const Tensor& tensor : {from, to}) {
    if (tensor.device().kind != Device::Kind::cpu) check_home(tensor);
  }
  if (from.empty()) return;
  select();
  LS_CUDA(cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDefault, stream_));
}

void CudaBackend::fill(const Tensor& tensor, double value) {
  check_home(tensor);
  select();
  submit_fill(tensor, value, stream_);
}

std::unique_ptr<Backend> open_cuda_backend(int index) {
  int visible = 0;
  const cudaError_t status = cudaGetDeviceCount(&visible);
  if (status != cudaSuccess) {
    visible = 0;
    cudaGetLastError();
  }
  if (0 <= index && index < visible) return std::make_unique<CudaBackend>(index);
  const std::string why = status == cudaSuccess ? "" : fmt::format(" (CUDA says: {})", cudaGetErrorString(status));
  const std::string cure = visible == 0 ? "Check the driver with nvidia-smi and what CUDA_VISIBLE_DEVICES lists"
                                        : fmt::format("Choose one of cuda:0 to cuda:{}", visible - 1);
  throw Error(ExitCode::configuration, fmt::format("no device cuda:{}: {} GPU{} visible here{}. {}, or run with "
                                                   "--device=cpu",
                                                   index, visible, visible == 1 ? " is" : "s are", why, cure));
}

}  // namespace lockstep
