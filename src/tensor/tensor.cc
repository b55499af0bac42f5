#include "tensor/tensor.h"

#include <fmt/format.h>

namespace lockstep {

Tensor Tensor::reshaped(const Shape& shape) const {
  LS_CHECK(shape.elements() == count(), fmt::format("{} reshaped to {}", shape_.text(), shape.text()));
  return {data_, dtype_, shape, device_};
}

Tensor Tensor::rows(std::int64_t begin, std::int64_t end) const {
  LS_CHECK(0 <= begin && begin <= end && end <= shape_[0],
           fmt::format("rows {} to {} of {}", begin, end, shape_.text()));
  const Shape row = shape_.without_front();
  auto* first = static_cast<std::byte*>(data_) + static_cast<std::size_t>(begin * row.elements()) * size_of(dtype_);
  return {first, dtype_, row.with_front(end - begin), device_};
}

Tensor Tensor::flat(FlatRange range) const {
  LS_CHECK(0 <= range.begin && range.begin <= range.end && range.end <= count(),
           fmt::format("elements {} to {} of {}", range.begin, range.end, count()));
  auto* first = static_cast<std::byte*>(data_) + static_cast<std::size_t>(range.begin) * size_of(dtype_);
  return {first, dtype_, {range.count()}, device_};
}

Tensor view(const Buffer& buffer, DType dtype, const Shape& shape) {
  Tensor tensor(buffer.data(), dtype, shape, buffer.device());
  LS_CHECK(tensor.bytes() <= buffer.bytes(),
           fmt::format("{} of {} in {} bytes", shape.text(), name(dtype), buffer.bytes()));
  return tensor;
}

}  // namespace lockstep
