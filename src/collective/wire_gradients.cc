#include "collective/wire_gradients.h"

#include <fmt/format.h>

#include "base/error.h"
#include "collective/sum_kernels.h"

namespace lockstep {

WireGradients::WireGradients(Communicator& communicator, const Tensor& gradients, DType wire)
    : gradients_(gradients), wire_(gradients) {
  if (wire == gradients.dtype() || communicator.size() == 1 || gradients.empty()) return;
  LS_CHECK(gradients.dtype() == DType::float32 && gradients.device().kind == Device::Kind::cpu,
           fmt::format("gradients of {} are not converted to {}: only float32 in the host's memory is",
                       name(gradients.dtype()), name(wire)));
  memory_ = communicator.allocator().allocate(static_cast<std::size_t>(gradients.count()) * size_of(wire));
  wire_ = view(memory_, wire, gradients.shape());
}

Tensor WireGradients::narrowed(FlatRange range) const {
  const Tensor values = wire_.flat(range);
  if (copies()) convert(gradients_.dtype(), gradients_.flat(range).data(), wire_.dtype(), values.data(), range.count());
  return values;
}

void WireGradients::widen(FlatRange range) const {
  if (copies()) {
    convert(wire_.dtype(), wire_.flat(range).data(), gradients_.dtype(), gradients_.flat(range).data(), range.count());
  }
}

}  // namespace lockstep
