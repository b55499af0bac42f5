#include "collective/gradient_accumulator.h"

namespace lockstep {

GradientAccumulator::GradientAccumulator(Backend& backend, const Tensor& gradients, int shares)
    : backend_(backend), gradients_(gradients), shares_(shares) {
  LS_CHECK(shares >= 0, "fewer shares than none");
  if (shares <= 1) return;
  memory_ = backend.allocator().allocate(gradients.bytes());
  sums_ = view(memory_, gradients.dtype(), gradients.shape());
}

void GradientAccumulator::add(int share, FlatRange range) {
  if (shares_ == 1 || range.empty()) return;
  const Tensor gradient = gradients_.flat(range);
  const Tensor sum = sums_.flat(range);
  if (share == 0) {
    backend_.copy(gradient, sum);
  } else if (is_last(share)) {
    backend_.add(sum, gradient);
  } else {
    backend_.add(gradient, sum);
  }
}

}  // namespace lockstep
