#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/parameter_store.h"
#include "tensor/backend.h"

namespace lockstep {

// The initial values of a variable. Draws depend on (seed, variable, element) only.
struct Initializer {
  enum class Kind { zeros, ones, uniform, normal, given };
  Kind kind = Kind::zeros;
  double limit = 0;              // uniform in [-limit, limit)
  double stddev = 0;             // normal, of mean 0
  std::vector<double> values{};  // given, one per element

  static Initializer zeros() { return {}; }
  static Initializer ones() { return {.kind = Kind::ones}; }
  static Initializer given(std::vector<double> values) { return {.kind = Kind::given, .values = std::move(values)}; }
  static Initializer normal(double stddev) { return {.kind = Kind::normal, .stddev = stddev}; }
  // Glorot and Bengio 2010, equation 16 ("normalized initialization"): limit = sqrt(6 / (in + out)).
  static Initializer glorot_uniform(std::int64_t inputs, std::int64_t outputs);
  // He et al. 2015, equation 10, as a uniform distribution of the same variance: limit = sqrt(6 / in).
  static Initializer he_uniform(std::int64_t inputs);
  // Rows of a table, with a mean squared length of 1: limit = sqrt(3 / width).
  static Initializer unit_rows(std::int64_t width);
};

// Writes the initial values of all variables, drawn on the host and copied to the store. Every rank could compute the
// same values, yet the chief's are broadcast, so that replicas agree by construction.
void initialize(Backend& backend, const ParameterStore& store, const std::vector<Initializer>& initializers,
                std::uint64_t seed);

}  // namespace lockstep
