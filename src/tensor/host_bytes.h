#pragma once

#include <cstddef>
#include <span>

#include "base/error.h"
#include "tensor/tensor.h"

namespace lockstep {

// The memory of a tensor of any type. REQUIRES: on the host.
inline std::span<std::byte> host_bytes(const Tensor& tensor) {
  LS_CHECK(tensor.device() == Device{}, "a message of a device's memory");
  return {static_cast<std::byte*>(tensor.data()), tensor.bytes()};
}

}  // namespace lockstep
