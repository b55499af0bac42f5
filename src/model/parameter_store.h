#pragma once

#include "tensor/allocator.h"
#include "tensor/dtype.h"
#include "tensor/parameter_table.h"
#include "tensor/tensor.h"

namespace lockstep {

class Backend;

// A model's values and gradients: two flat arrays, each in memory of an Allocator, and the table of their layout. The
// table and the allocators must outlive the store. COLLECTIVE if an allocator is.
class ParameterStore {
 public:
  // Values alone, for a model that is not trained: its gradients must not be asked for.
  ParameterStore(const ParameterTable& table, Allocator& values, DType dtype);
  ParameterStore(const ParameterTable& table, Allocator& values, Allocator& gradients, DType dtype);

  // Makes products take the values in another type, from a copy: half the bytes, and faster if Backend has products of
  // it. Called once, before the first pass. REQUIRES: bfloat16, for a store of float32; or dtype(), which changes
  // nothing.
  void set_product_dtype(Backend& backend, DType dtype);

  const ParameterTable& table() const { return table_; }
  DType dtype() const { return dtype_; }
  // Returns whether all ranks have the values as one copy (Allocator::is_common()). Then only one rank writes an
  // element, and the others read it after both have met at a later barrier.
  bool common_values() const { return common_values_; }

  // One variable, in its shape.
  Tensor value(int variable) const { return variable_of(values(), variable); }
  Tensor gradient(int variable) const { return variable_of(gradients(), variable); }

  // The type in which products take their operands, and one variable in it: the value itself, or its part of the copy,
  // which holds the values at the last update_copy().
  DType product_dtype() const { return product_dtype_; }
  Tensor product_value(int variable) const;
  // Called before the first Pass after values may have moved: at the beginning of each training step and, once a
  // checkpoint is read, of each evaluation. Does nothing if there is no copy.
  void update_copy(Backend& backend) const;

  // The whole array, as one axis: padded_count() elements.
  Tensor values() const;
  Tensor gradients() const;

 private:
  Tensor variable_of(const Tensor& flat, int variable) const;

  const ParameterTable& table_;
  DType dtype_;
  DType product_dtype_;
  bool common_values_;
  Buffer values_;
  Buffer gradients_;
  Buffer copy_;  // values in product_dtype_, if it is another type
};

}  // namespace lockstep
