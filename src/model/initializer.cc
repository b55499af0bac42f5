#include "model/initializer.h"

#include <cmath>

#include "base/random.h"

namespace lockstep {
namespace {

// Draws in single precision for either type, so that float64 checks start where training does.
template <class T>
void write_uniform(Backend& backend, const Tensor& values, double limit, const RandomStream& stream) {
  std::vector<T> drawn(static_cast<std::size_t>(values.count()));
  PhiloxBlock words{};
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (i % 4 == 0) words = stream.block(static_cast<std::uint32_t>(i / 4));
    drawn[i] = static_cast<T>((2 * static_cast<double>(uniform_float(words[i % 4])) - 1) * limit);
  }
  backend.copy(Tensor(drawn.data(), values.dtype(), values.shape()), values);
  backend.synchronize();  // before drawn goes
}

}  // namespace

Initializer Initializer::glorot_uniform(std::int64_t inputs, std::int64_t outputs) {
  return {Kind::uniform, std::sqrt(6.0 / static_cast<double>(inputs + outputs))};
}

Initializer Initializer::he_uniform(std::int64_t inputs) {
  return {Kind::uniform, std::sqrt(6.0 / static_cast<double>(inputs))};
}

void initialize(Backend& backend, const ParameterStore& store, const std::vector<Initializer>& initializers,
                std::uint64_t seed) {
  for (std::size_t i = 0; i < initializers.size(); ++i) {
    const Tensor value = store.value(static_cast<int>(i));
    const double limit = initializers[i].kind == Initializer::Kind::uniform ? initializers[i].limit : 0;
    const RandomStream stream{.seed = seed, .purpose = Purpose::initial_value, .stream = static_cast<std::uint16_t>(i)};
    if (store.dtype() == DType::float64) {
      write_uniform<double>(backend, value, limit, stream);
    } else {
      write_uniform<float>(backend, value, limit, stream);
    }
  }
}

}  // namespace lockstep
