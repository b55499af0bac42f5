#pragma once

#include <functional>

#include "model/model.h"

namespace lockstep {

// Compares a model's gradients with central differences in float64, for every element of every variable: the largest
// difference, relative to the largest gradient. batch: inputs float64, or int32 for an embedding.
double gradient_error(Model& model, const Batch& batch);

// The same for a layer by itself, for its input (if asked for) and its variables, away from their initial values.
// Checks on the way what layer.h asks of a layer: it leaves its input alone, gives no gradient that is not needed, and
// reports its ranges once, from the end to the start.
double layer_gradient_error(const std::function<LayerPointer()>& make_layer, const Shape& input,
                            InputGradient asked = InputGradient::needed);

// Gathers on_gradient_ready: each range has to end where the one before began.
class RangeLog {
 public:
  explicit RangeLog(std::int64_t padded_count) : mark_(padded_count) {}

  void operator()(FlatRange range) {
    in_order_ = in_order_ && range.end == mark_;
    mark_ = range.begin;
  }
  bool complete() const { return in_order_ && mark_ == 0; }

 private:
  std::int64_t mark_;
  bool in_order_ = true;
};

}  // namespace lockstep
