#pragma once

#include "model/layer.h"
#include "model/layer_memory.h"

namespace lockstep {

// The operand of a layer's products for its input or the gradient of its output: the tensor itself, or if products take
// another type (ParameterStore::product_dtype()) a copy in it, in memory of the layer's. Made once for all products of
// the tensor.
inline Tensor product_operand(const Tensor& tensor, LayerMemory& memory, const Pass& pass) {
  const DType dtype = pass.parameters.product_dtype();
  if (dtype == tensor.dtype()) return tensor;
  const Tensor copy = memory.get(pass, dtype, tensor.shape());
  pass.backend.convert(tensor, copy);
  return copy;
}

}  // namespace lockstep
