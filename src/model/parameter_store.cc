#include "model/parameter_store.h"

#include <fmt/format.h>

#include "base/error.h"
#include "tensor/backend.h"

namespace lockstep {
namespace {

Buffer allocate(Allocator& allocator, const ParameterTable& table, DType dtype) {
  return allocator.allocate(static_cast<std::size_t>(table.padded_count()) * size_of(dtype));
}

}  // namespace

ParameterStore::ParameterStore(const ParameterTable& table, Allocator& values, Allocator& gradients, DType dtype)
    : table_(table),
      dtype_(dtype),
      product_dtype_(dtype),
      common_values_(values.is_common()),
      values_(allocate(values, table, dtype)),
      gradients_(allocate(gradients, table, dtype)) {}

ParameterStore::ParameterStore(const ParameterTable& table, Allocator& values, DType dtype)
    : table_(table),
      dtype_(dtype),
      product_dtype_(dtype),
      common_values_(values.is_common()),
      values_(allocate(values, table, dtype)) {}

void ParameterStore::set_product_dtype(Backend& backend, DType dtype) {
  if (dtype == product_dtype_) return;
  LS_CHECK(dtype == DType::bfloat16 && dtype_ == DType::float32,
           fmt::format("products in {} of values in {}", name(dtype), name(dtype_)));
  product_dtype_ = dtype;
  copy_ = allocate(backend.allocator(), table_, dtype);
}

Tensor ParameterStore::values() const { return view(values_, dtype_, {table_.padded_count()}); }

Tensor ParameterStore::gradients() const { return view(gradients_, dtype_, {table_.padded_count()}); }

Tensor ParameterStore::product_value(int variable) const {
  if (product_dtype_ == dtype_) return value(variable);
  return variable_of(view(copy_, product_dtype_, {table_.padded_count()}), variable);
}

void ParameterStore::update_copy(Backend& backend) const {
  if (product_dtype_ == dtype_) return;
  backend.convert(values(), view(copy_, product_dtype_, {table_.padded_count()}));
}

Tensor ParameterStore::variable_of(const Tensor& flat, int variable) const {
  return flat.flat(table_[variable].range).reshaped(table_[variable].shape);
}

}  // namespace lockstep
