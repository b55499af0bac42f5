#pragma once

#include <cstdint>

#include "tensor/backend.h"

namespace lockstep {

// Result of Backend::clip_factor() for a step, on the host a step later: the host then waits for something that the
// device has done long before. The Backend outlives it. One thread.
class LateNorm {
 public:
  explicit LateNorm(Backend& backend);

  struct Result {
    std::int64_t step = 0;  // step of the result; 0: there is none to take
    double factor = 0;      // further factor of the gradients
    double norm = 0;
  };

  // The tensor for the operation's result. start(), called after the operation, has it copied to the host.
  const Tensor& result() const { return on_device_; }
  void start(std::int64_t step);
  // To be called instead for a step without a norm.
  void start_without(std::int64_t step);
  // Waits for the result of the step that was started last, and returns it, unless it is taken already.
  Result take();

 private:
  Backend& backend_;
  Buffer device_memory_;
  Buffer host_memory_;
  Tensor on_device_;
  Tensor on_host_;
  Event copied_{};
  std::int64_t step_ = 0;
  bool has_norm_ = false;
};

}  // namespace lockstep
