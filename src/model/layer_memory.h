#pragma once

#include "model/layer.h"
#include "model/working_memory.h"

namespace lockstep {

// Bytes of one sample in a LayerMemory, for Layer::bytes_per_sample().
inline std::int64_t sample_bytes(const Shape& of_sample, DType dtype = DType::float32) {
  return of_sample.elements() * static_cast<std::int64_t>(size_of(dtype));
}
// Bytes of the gradient of the layer's input, if it is needed.
inline std::int64_t input_gradient_bytes(const LayerPlace& place) {
  return place.input_gradient == InputGradient::needed ? sample_bytes(place.input) : 0;
}
inline std::int64_t output_and_gradient_bytes(const LayerPlace& place) {
  return sample_bytes(place.output) + input_gradient_bytes(place);
}
// The bytes that product_operand() copies.
inline std::int64_t operand_bytes(const Shape& of_sample, const LayerPlace& place) {
  return place.products == DType::float32 ? 0 : sample_bytes(of_sample, place.products);
}

// Memory for a layer's results that is kept from pass to pass and only grows: after the first pass of the largest batch
// nothing is allocated. get() overwrites its previous result.
class LayerMemory {
 public:
  // Memory of the layer's own, which holds zeros until it is written.
  Tensor get(Backend& backend, DType dtype, const Shape& shape) {
    const std::size_t bytes = static_cast<std::size_t>(shape.elements()) * size_of(dtype);
    if (bytes > buffer_.bytes()) {
      buffer_ = {};  // freed before there is another
      buffer_ = backend.allocator().allocate(bytes);
    }
    return {buffer_.data(), dtype, shape, backend.device()};
  }
  // Memory for results that each pass recomputes: the pass's (Pass::memory) if it has one.
  Tensor get(const Pass& pass, DType dtype, const Shape& shape) {
    if (pass.memory != nullptr) return pass.memory->take(pass.backend, dtype, shape);
    return get(pass.backend, dtype, shape);
  }

 private:
  Buffer buffer_;
};

}  // namespace lockstep
