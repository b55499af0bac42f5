#pragma once

#include "tensor/backend.h"

namespace lockstep {

// Memory for a layer's results that is kept from pass to pass and only grows: after the first pass of the largest batch
// nothing is allocated. What get() gave before is overwritten.
class LayerMemory {
 public:
  Tensor get(Backend& backend, DType dtype, const Shape& shape) {
    const std::size_t bytes = static_cast<std::size_t>(shape.elements()) * size_of(dtype);
    if (bytes > buffer_.bytes()) buffer_ = backend.allocator().allocate(bytes);
    return {buffer_.data(), dtype, shape, backend.device()};
  }

 private:
  Buffer buffer_;
};

}  // namespace lockstep
