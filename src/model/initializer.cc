#include "model/initializer.h"

#include <cmath>

#include "base/random.h"

namespace lockstep {
namespace {

template <class T>
void fill_uniform(T* values, std::int64_t count, double limit, const RandomStream& stream) {
  PhiloxBlock words{};
  for (std::int64_t i = 0; i < count; ++i) {
    if (i % 4 == 0) words = stream.block(static_cast<std::uint32_t>(i / 4));
    const float draw = uniform_float(words[static_cast<std::size_t>(i % 4)]);
    values[i] = static_cast<T>((2 * static_cast<double>(draw) - 1) * limit);
  }
}

}  // namespace

Initializer Initializer::glorot_uniform(std::int64_t inputs, std::int64_t outputs) {
  return {Kind::uniform, std::sqrt(6.0 / static_cast<double>(inputs + outputs))};
}

Initializer Initializer::he_uniform(std::int64_t inputs) {
  return {Kind::uniform, std::sqrt(6.0 / static_cast<double>(inputs))};
}

void initialize(const ParameterStore& store, const std::vector<Initializer>& initializers, std::uint64_t seed) {
  for (std::size_t i = 0; i < initializers.size(); ++i) {
    const Tensor value = store.value(static_cast<int>(i));
    const double limit = initializers[i].kind == Initializer::Kind::uniform ? initializers[i].limit : 0;
    const RandomStream stream{.seed = seed, .purpose = Purpose::initial_value, .stream = static_cast<std::uint16_t>(i)};
    if (store.dtype() == DType::float64) {
      fill_uniform(value.as<double>(), value.count(), limit, stream);
    } else {
      fill_uniform(value.as<float>(), value.count(), limit, stream);
    }
  }
}

}  // namespace lockstep
