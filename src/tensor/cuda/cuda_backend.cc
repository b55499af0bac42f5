#include "tensor/cuda/cuda_backend.h"

#include <fmt/format.h>

namespace lockstep {
namespace {

// CUDA's message on a host without GPUs, and what to do.
std::string describe_no_gpus(const std::string& reason) {
  const auto number = [](int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); };
  const GpuVersions versions = gpu_versions();
  std::string cure = "check the driver with nvidia-smi, and what CUDA_VISIBLE_DEVICES lists";
  if (versions.driver == 0) {
    cure = "no NVIDIA driver is loaded: load one";
  } else if (versions.driver / 1000 < versions.runtime / 1000) {  // within a major version each runs the other
    cure = fmt::format("the driver is for CUDA {} at most: install a newer one", number(versions.driver));
  }
  return fmt::format("CUDA {} says: {}; {}", number(versions.runtime), reason.empty() ? "no device" : reason, cure);
}

}  // namespace

CudaBackend::CudaBackend(int index) : allocator_(index), pinned_(index) {
  begin({});
  const GpuDescription gpu = describe_gpu(index);
  has_bfloat16_ = gpu.bfloat16;
  const std::string library = convolutions_.library();
  description_ = fmt::format("{} ({}{}{})", device().text(), gpu.name, library.empty() ? "" : ", ", library);
  stream_ = create_stream();
}

CudaBackend::~CudaBackend() {
  // An error here is a second one; the first one is already being thrown.
  try {
    begin({});
    synchronize_stream(stream_);
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch)
  }
  for (const Event event : events_) {
    if (event.handle != nullptr) destroy_event(event);
  }
  destroy_stream(stream_);
}

void CudaBackend::begin(std::initializer_list<Tensor> tensors) const {
  for (const Tensor& tensor : tensors) {
    LS_CHECK(tensor.empty() || tensor.device() == device(),
             fmt::format("a tensor on {} given to {}", tensor.device().text(), device().text()));
  }
  select_gpu(device().index);
}

void* CudaBackend::scratch(std::size_t bytes) {
  if (scratch_.bytes() < bytes) {
    scratch_ = {};  // earlier operations may still use it; freeing waits for them
    scratch_ = allocator_.allocate(bytes);
  }
  return scratch_.data();
}

Event CudaBackend::record() {
  begin({});
  if (in_graph_ && 8 * in_graph_events_.size() >= events_.size()) {
    events_.insert(events_.begin() + static_cast<std::ptrdiff_t>(next_event_), kEvents, Event{});
  }
  Event& event = events_[next_event_];
  next_event_ = (next_event_ + 1) % events_.size();
  if (event.handle == nullptr) event = create_event();
  record_event(event, stream_);
  if (in_graph_) in_graph_events_.push_back(event);
  return event;
}

void CudaBackend::wait(Event event) {
  if (event.handle == nullptr) return;
  begin({});
  wait_for_event(stream_, event);
}

void CudaBackend::synchronize() {
  begin({});
  synchronize_stream(stream_);
}

void CudaBackend::wait_on_host(Event event) {
  if (event.handle == nullptr) return;
  begin({});
  synchronize_event(event);
}

void CudaBackend::copy(const Tensor& from, const Tensor& to) {
  LS_CHECK(from.dtype() == to.dtype() && from.count() == to.count(),
           fmt::format("copy of {} {} to {} {}", name(from.dtype()), from.shape().text(), name(to.dtype()),
                       to.shape().text()));
  for (const Tensor& tensor : {from, to}) {
    if (tensor.device().kind != Device::Kind::cpu) begin({tensor});
  }
  if (from.empty()) return;
  begin({});
  copy_on_stream(to.data(), from.data(), from.bytes(), stream_);
}

VisibleDevices visible_cuda_devices() {
  VisibleDevices visible;
  std::string reason;
  const int count = count_gpus(reason);
  for (int index = 0; index < count; ++index) {
    const GpuDescription gpu = describe_gpu(index);
    visible.devices.push_back({.name = gpu.name, .bus_id = gpu.bus_id, .memory = gpu.memory});
  }
  if (count == 0) visible.why_none = describe_no_gpus(reason);
  return visible;
}

std::unique_ptr<Backend> open_cuda_backend(int index) {
  std::string reason;
  const int visible = count_gpus(reason);
  if (0 <= index && index < visible) return std::make_unique<CudaBackend>(index);
  const std::string why = reason.empty() ? "" : fmt::format(" (CUDA says: {})", reason);
  const std::string cure = visible == 0 ? "Check the driver with nvidia-smi and what CUDA_VISIBLE_DEVICES lists"
                                        : fmt::format("Choose one of cuda:0 to cuda:{}", visible - 1);
  throw Error(ExitCode::configuration, fmt::format("no device cuda:{}: {} GPU{} visible here{}. {}, or run with "
                                                   "--device=cpu",
                                                   index, visible, visible == 1 ? " is" : "s are", why, cure));
}

}  // namespace lockstep
