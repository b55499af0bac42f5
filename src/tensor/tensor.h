#pragma once

#include <span>

#include "base/error.h"
#include "tensor/allocator.h"
#include "tensor/dtype.h"
#include "tensor/flat_range.h"
#include "tensor/shape.h"

namespace lockstep {

// A view of dense row-major elements that a Buffer owns. Cheap to copy; does not keep the memory alive. Data on a
// device may be touched by that device's Backend only; the host pointer accessors check.
class Tensor {
 public:
  Tensor() = default;
  Tensor(void* data, DType dtype, Shape shape, Device device = {})
      : data_(data), dtype_(dtype), shape_(shape), device_(device) {}

  void* data() const { return data_; }
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  Device device() const { return device_; }
  std::int64_t count() const { return shape_.elements(); }
  std::size_t bytes() const { return static_cast<std::size_t>(count()) * size_of(dtype_); }
  bool empty() const { return data_ == nullptr || count() == 0; }

  // Host elements. REQUIRES: on the CPU, of type T.
  template <class T>
  T* as() const {
    LS_CHECK(dtype_ == dtype_of<T>(), "a tensor of another type");
    LS_CHECK(device_.kind == Device::Kind::cpu, "the host reads a device's memory");
    return static_cast<T*>(data_);
  }
  template <class T>
  std::span<T> span() const {
    return {as<T>(), static_cast<std::size_t>(count())};
  }

  // The same elements with other extents. REQUIRES: as many elements.
  Tensor reshaped(const Shape& shape) const;
  // Rows [begin, end) of the first axis.
  Tensor rows(std::int64_t begin, std::int64_t end) const;
  // Elements [begin, end) of the flattened tensor, as one axis.
  Tensor flat(FlatRange range) const;

 private:
  void* data_ = nullptr;
  DType dtype_ = DType::float32;
  Shape shape_;
  Device device_;
};

// A view of a Buffer's first elements. REQUIRES: the Buffer is large enough.
Tensor view(const Buffer& buffer, DType dtype, const Shape& shape);

}  // namespace lockstep
