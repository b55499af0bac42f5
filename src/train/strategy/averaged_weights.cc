#include "train/strategy/averaged_weights.h"

#include <algorithm>

namespace lockstep {

AveragedWeights::AveragedWeights(Backend& backend, const ParameterStore& weights, double decay)
    : backend_(backend),
      weights_(weights),
      decay_(decay),
      average_(weights.table(), backend.allocator(), weights.dtype()) {
  average_.set_product_dtype(backend, weights.product_dtype());
}

void AveragedWeights::start(std::int64_t updates) {
  updates_ = updates;
  backend_.copy(weights_.values(), average_.values());
}

void AveragedWeights::update() {
  ++updates_;
  const auto n = static_cast<double>(updates_);
  backend_.blend(weights_.values(), average_.values(), 1 - std::min(decay_, (1 + n) / (10 + n)));
}

}  // namespace lockstep
