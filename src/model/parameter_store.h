#pragma once

#include "tensor/allocator.h"
#include "tensor/dtype.h"
#include "tensor/parameter_table.h"
#include "tensor/tensor.h"

namespace lockstep {

class Backend;

// A model's values and gradients: two flat arrays, each in memory of an Allocator, and the table that says what lies
// where. The table and the allocators must outlive the store. COLLECTIVE if an allocator is.
class ParameterStore {
 public:
  // Values alone, for a model that is not trained: gradients must not be asked for.
  ParameterStore(const ParameterTable& table, Allocator& values, DType dtype);
  ParameterStore(const ParameterTable& table, Allocator& values, Allocator& gradients, DType dtype);

  // Products are to take the values in another type, of a copy: half the bytes, and faster where Backend has products
  // of it. Once, before the first pass. REQUIRES: bfloat16, of a store of float32; or dtype(), which changes nothing.
  void set_product_dtype(Backend& backend, DType dtype);

  const ParameterTable& table() const { return table_; }
  DType dtype() const { return dtype_; }
  // Whether all ranks have the values as one copy (Allocator::is_common()). Then one rank alone writes an element, and
  // the others read it when both have met at a barrier after that.
  bool common_values() const { return common_values_; }

  // One variable, in its shape.
  Tensor value(int variable) const { return variable_of(values(), variable); }
  Tensor gradient(int variable) const { return variable_of(gradients(), variable); }

  // The type in which products take their operands, and one variable in it: the value itself, or its part of the copy,
  // which has what the values were at the last update_copy().
  DType product_dtype() const { return product_dtype_; }
  Tensor product_value(int variable) const;
  // Who makes a Pass calls it before the first one after values may have moved: at the beginning of each training step
  // and of each evaluation, once a checkpoint is read. Nothing to do if there is no copy.
  void update_copy(Backend& backend) const;

  // All of it, as one axis: padded_count() elements.
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
