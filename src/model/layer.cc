#include "model/layer.h"

namespace lockstep {

int Declaration::variable(const std::string& name, const Shape& shape, const Initializer& initializer, bool decay) {
  const int index = table_.add(name, shape, decay);
  initializers_.push_back(initializer);
  return index;
}

}  // namespace lockstep
