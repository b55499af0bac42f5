#pragma once

#include "tensor/allocator.h"
#include "tensor/dtype.h"
#include "tensor/parameter_table.h"
#include "tensor/tensor.h"

namespace lockstep {

// A model's values and gradients: two flat arrays, each in memory of an Allocator, and the table that says what lies
// where. The table and the allocators must outlive the store. COLLECTIVE if an allocator is.
class ParameterStore {
 public:
  // Values alone, for a model that is not trained: gradients must not be asked for.
  ParameterStore(const ParameterTable& table, Allocator& values, DType dtype);
  ParameterStore(const ParameterTable& table, Allocator& values, Allocator& gradients, DType dtype);

  const ParameterTable& table() const { return table_; }
  DType dtype() const { return dtype_; }
  // Whether all ranks have the values as one copy (Allocator::is_common()). Then one rank alone writes an element, and
  // the others read it when both have met at a barrier after that.
  bool common_values() const { return common_values_; }

  // One variable, in its shape.
  Tensor value(int variable) const { return variable_of(values(), variable); }
  Tensor gradient(int variable) const { return variable_of(gradients(), variable); }

  // All of it, as one axis: padded_count() elements.
  Tensor values() const;
  Tensor gradients() const;

 private:
  Tensor variable_of(const Tensor& flat, int variable) const;

  const ParameterTable& table_;
  DType dtype_;
  bool common_values_;
  Buffer values_;
  Buffer gradients_;
};

}  // namespace lockstep
