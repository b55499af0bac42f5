#pragma once

#include <vector>

#include "tensor/backend.h"
#include "tensor/tensor.h"

namespace lockstep {

// Tensors of a backend as memory of the host, for those who send and receive them: the tensors themselves if they are
// on the host, else copies, or always copies, so that tensors may change meanwhile. The backend and the tensors' memory
// outlive it. One thread.
class HostTensors {
 public:
  HostTensors(Backend& backend, std::vector<Tensor> tensors, bool always_copies = false);

  bool are_copies() const { return !memory_.empty(); }

  const Tensor& host(std::size_t number) const { return host_.at(number); }
  const std::vector<Tensor>& all() const { return host_; }
  // These bring what the one side has to the other, and return when it is there. They do nothing if both are the same.
  void to_host();
  void to_device();

 private:
  Backend& backend_;
  std::vector<Tensor> tensors_;
  std::vector<Buffer> memory_;
  std::vector<Tensor> host_;
};

}  // namespace lockstep
