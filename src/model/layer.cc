#include "model/layer.h"

#include "model/layer_memory.h"

namespace lockstep {

int Declaration::variable(const std::string& name, const Shape& shape, const Initializer& initializer, bool decay) {
  const int index = table_.add(name, shape, decay);
  initializers_.push_back(initializer);
  ++trainable_;
  return index;
}

int Declaration::constant(const std::string& name, const Shape& shape, const std::vector<double>& values, Sign sign) {
  LS_CHECK(shape.elements() == static_cast<std::int64_t>(values.size()), "as many values as the constant has elements");
  initializers_.push_back(Initializer::given(values));
  return table_.add_constant(name, shape, sign == Sign::positive);
}

std::int64_t Layer::bytes_per_sample(const LayerPlace& place) const { return output_and_gradient_bytes(place); }

}  // namespace lockstep
