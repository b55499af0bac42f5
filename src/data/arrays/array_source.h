#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "data/arrays/element_type.h"
#include "tensor/shape.h"

namespace lockstep {

// Type and shape of an array in a file.
struct ArrayForm {
  std::string name;  // for messages: "'DIR/train.h5', data set inputs"
  ElementType type = ElementType::float32;
  Shape extents;               // (N, ...)
  std::int64_t unit_rows = 1;  // rows that are best read together: those of a chunk in HDF5

  std::int64_t rows() const { return extents[0]; }
  std::int64_t row_elements() const { return extents.without_front().elements(); }
  std::int64_t row_bytes() const { return row_elements() * static_cast<std::int64_t>(size_of(type)); }
};

// An array in a file, read by rows as they are stored. Opened once; its form does not change.
// Any threads may read at once.
class ArraySource {
 public:
  explicit ArraySource(ArrayForm form) : form_(std::move(form)) {}
  virtual ~ArraySource() = default;
  ArraySource(const ArraySource&) = delete;
  ArraySource& operator=(const ArraySource&) = delete;

  const ArrayForm& form() const { return form_; }

  // Reads the rows [first, first + count), count * row_bytes long, in this machine's byte order. Throws Error(bad_data)
  // that names the array if the file is damaged or is no longer the one that was opened.
  virtual void read(std::int64_t first, std::int64_t count, std::span<std::byte> into) const = 0;

 private:
  ArrayForm form_;
};

// The extents of an array as a Shape, (N, ...). Throws Error(bad_data) that names the array if it has no axis or more
// than Shape holds, no rows or empty ones, or more than a file can have.
Shape checked_extents(const std::string& name, std::span<const std::uint64_t> extents, ElementType type);

}  // namespace lockstep
