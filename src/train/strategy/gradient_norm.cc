#include "train/strategy/gradient_norm.h"

#include <cmath>

namespace lockstep {
namespace {

std::int64_t chunks_of(FlatRange range) { return (range.count() + kSquaresChunk - 1) / kSquaresChunk; }

// What is cut into chunks from its start on.
std::vector<FlatRange> plan_ranges(const ParameterTable& table, bool sliceable) {
  if (sliceable) return {{0, table.padded_count()}};
  std::vector<FlatRange> ranges;
  for (const Variable& variable : table.variables()) {
    if (variable.trainable && !variable.range.empty()) ranges.push_back(variable.range);
  }
  return ranges;
}

}  // namespace

GradientNorm::GradientNorm(Backend& backend, const ParameterStore& parameters, bool sliceable)
    : backend_(backend), parameters_(parameters), ranges_(plan_ranges(parameters.table(), sliceable)) {
  std::int64_t chunks = 0;
  for (const FlatRange range : ranges_) chunks += chunks_of(range);
  host_.resize(static_cast<std::size_t>(chunks));
  memory_ = backend.allocator().allocate(host_.size() * sizeof(double));
  sums_ = view(memory_, DType::float64, {chunks});
}

double GradientNorm::norm() {
  std::int64_t first = 0;
  for (const FlatRange range : ranges_) {
    const std::int64_t chunks = chunks_of(range);
    backend_.sum_squares(parameters_.gradients().flat(range), sums_.flat({first, first + chunks}));
    first += chunks;
  }
  backend_.copy(sums_, Tensor(host_.data(), DType::float64, sums_.shape()));
  backend_.synchronize();
  double sum = 0;
  for (const double chunk : host_) sum += chunk;
  return std::sqrt(sum);
}

std::string GradientNorm::not_finite() const {
  return parameters_.table().owner_of(backend_.first_not_finite(parameters_.gradients())).name;
}

}  // namespace lockstep
