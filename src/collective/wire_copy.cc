#include "collective/wire_copy.h"

#include <fmt/format.h>

#include "base/error.h"

namespace lockstep {

WireCopy::WireCopy(Allocator& memory, Backend& backend, const Tensor& whole, DType wire)
    : backend_(backend), whole_(whole), wire_(whole) {
  if (wire == whole.dtype() || whole.empty()) return;
  LS_CHECK(whole.dtype() == DType::float32,
           fmt::format("{} does not travel as {}: only float32 does", name(whole.dtype()), name(wire)));
  memory_ = memory.allocate(static_cast<std::size_t>(whole.count()) * size_of(wire));
  wire_ = view(memory_, wire, whole.shape());
}

Tensor WireCopy::narrowed(FlatRange range) const {
  const Tensor values = wire_.flat(range);
  if (copies()) backend_.convert(whole_.flat(range), values);
  return values;
}

void WireCopy::widen(FlatRange range) const {
  if (copies()) backend_.convert(wire_.flat(range), whole_.flat(range));
}

}  // namespace lockstep
