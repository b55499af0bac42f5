#include "train/strategy/host_tensors.h"

#include <utility>

namespace lockstep {

HostTensors::HostTensors(Backend& backend, std::vector<Tensor> tensors, bool always_copies)
    : backend_(backend), tensors_(std::move(tensors)) {
  if (backend.device().kind == Device::Kind::cpu && !always_copies) {
    host_ = tensors_;
    return;
  }
  for (const Tensor& tensor : tensors_) {
    memory_.push_back(backend.host_allocator().allocate(tensor.bytes()));
    host_.push_back(view(memory_.back(), tensor.dtype(), tensor.shape()));
  }
}

void HostTensors::to_host() {
  if (memory_.empty()) return;
  for (std::size_t i = 0; i < tensors_.size(); ++i) backend_.copy(tensors_[i], host_[i]);
  backend_.synchronize();
}

void HostTensors::to_device() {
  if (memory_.empty()) return;
  for (std::size_t i = 0; i < tensors_.size(); ++i) backend_.copy(host_[i], tensors_[i]);
  backend_.synchronize();
}

}  // namespace lockstep
