#include "collective/gradient_accumulator.h"

namespace lockstep {

GradientAccumulator::GradientAccumulator(Backend& backend, const Tensor& gradients, std::int64_t headroom, int shares)
    : backend_(backend), gradients_(gradients), headroom_(headroom), shares_(shares) {
  LS_CHECK(shares >= 0, "fewer shares than none");
  if (shares <= 1) return;
  memory_ = backend.allocator().allocate(gradients.bytes());
  sums_ = view(memory_, gradients.dtype(), gradients.shape());
}

void GradientAccumulator::add(int share, FlatRange range) {
  const bool store_is_empty = gradients_.count() == headroom_;
  if (shares_ == 1 || (range.empty() && !store_is_empty)) return;
  const FlatRange with_headroom{range.begin == 0 ? 0 : range.begin + headroom_, range.end + headroom_};
  const Tensor gradient = gradients_.flat(with_headroom);
  const Tensor sum = sums_.flat(with_headroom);
  if (share == 0) {
    backend_.copy(gradient, sum);
  } else if (is_last(share)) {
    backend_.add(sum, gradient);
  } else {
    backend_.add(gradient, sum);
  }
}

}  // namespace lockstep
