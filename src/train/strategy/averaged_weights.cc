#include "train/strategy/averaged_weights.h"

#include "optim/moving_average.h"

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
  backend_.blend(weights_.values(), average_.values(), weight_of_new(decay_, ++updates_));
}

}  // namespace lockstep
