#pragma once

#include <cstdint>

#include "tensor/backend.h"

namespace lockstep {

// What Backend::clip_factor() gave for a step, on the host a step later: the host then waits for what the device has
// done long before. The Backend outlives it. One thread.
class LateNorm {
 public:
  explicit LateNorm(Backend& backend);

  struct Result {
    std::int64_t step = 0;  // 0: none was started
    double factor = 0;      // what the gradients were multiplied by besides
    double norm = 0;
  };

  // Where the operation is to put the step's result; then, when it was called, has it copied to the host.
  const Tensor& result() const { return on_device_; }
  void start(std::int64_t step);
  // Of a step that had none.
  void start_without(std::int64_t step);
  // Of the step that was started last, whose result is not taken yet.
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
