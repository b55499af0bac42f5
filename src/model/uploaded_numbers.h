#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "model/layer_memory.h"

namespace lockstep {

// Numbers that the host makes for a pass, in memory of the device. The caller may reuse its own when upload() returns;
// the host waits only for what the device has done two passes before. One upload() per graph
// (tensor/operation_graph.h). One thread.
class UploadedNumbers {
 public:
  // Valid until the next upload().
  Tensor upload(Backend& backend, std::span<const std::int32_t> numbers);

 private:
  struct Copy {
    Buffer memory;   // host memory
    Event copied{};  // passes when the device has it
  };

  std::array<Copy, 2> copies_;  // used in turn
  std::size_t next_ = 0;
  LayerMemory memory_;
};

}  // namespace lockstep
