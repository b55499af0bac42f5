#pragma once

#include <cstdint>

#include "tensor/allocator.h"
#include "tensor/dtype.h"
#include "tensor/parameter_table.h"
#include "tensor/tensor.h"

namespace lockstep {

// A model's values and gradients: two flat arrays in memory of one Allocator, and the table that says what lies where.
// Before the gradients are `headroom` more elements, so that a few values of the strategy's can travel with the
// last bucket. The table and the allocator must outlive the store. COLLECTIVE if the allocator is.
class ParameterStore {
 public:
  // Values alone, for a model that is not trained: gradients must not be asked for.
  ParameterStore(const ParameterTable& table, Allocator& allocator, DType dtype);
  ParameterStore(const ParameterTable& table, Allocator& allocator, DType dtype, std::int64_t headroom);

  const ParameterTable& table() const { return table_; }
  DType dtype() const { return dtype_; }
  std::int64_t headroom() const { return headroom_; }

  // One variable, in its shape.
  Tensor value(int variable) const { return variable_of(values(), variable); }
  Tensor gradient(int variable) const { return variable_of(gradients(), variable); }

  // All of it, as one axis: padded_count() elements, gradients_with_headroom() headroom more in front.
  Tensor values() const;
  Tensor gradients() const;
  Tensor gradients_with_headroom() const;

 private:
  Tensor variable_of(const Tensor& flat, int variable) const;

  const ParameterTable& table_;
  DType dtype_;
  std::int64_t headroom_;
  Buffer values_;
  Buffer gradients_;
};

}  // namespace lockstep
