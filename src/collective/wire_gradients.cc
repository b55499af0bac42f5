#include "collective/wire_gradients.h"

#include <fmt/format.h>

#include "base/error.h"

namespace lockstep {

WireGradients::WireGradients(Communicator& communicator, Backend& backend, const Tensor& gradients, DType wire)
    : backend_(backend), gradients_(gradients), wire_(gradients) {
  if (wire == gradients.dtype() || communicator.size() == 1 || gradients.empty()) return;
  LS_CHECK(gradients.dtype() == DType::float32, fmt::format("gradients of {} are not converted to {}: only float32 is",
                                                            name(gradients.dtype()), name(wire)));
  memory_ = communicator.allocator().allocate(static_cast<std::size_t>(gradients.count()) * size_of(wire));
  wire_ = view(memory_, wire, gradients.shape());
}

Tensor WireGradients::narrowed(FlatRange range) const {
  const Tensor values = wire_.flat(range);
  if (copies()) backend_.convert(gradients_.flat(range), values);
  return values;
}

void WireGradients::widen(FlatRange range) const {
  if (copies()) backend_.convert(wire_.flat(range), gradients_.flat(range));
}

}  // namespace lockstep
