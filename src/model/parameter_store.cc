#include "model/parameter_store.h"

namespace lockstep {
namespace {

Buffer allocate(Allocator& allocator, const ParameterTable& table, DType dtype) {
  return allocator.allocate(static_cast<std::size_t>(table.padded_count()) * size_of(dtype));
}

}  // namespace

ParameterStore::ParameterStore(const ParameterTable& table, Allocator& values, Allocator& gradients, DType dtype)
    : table_(table),
      dtype_(dtype),
      common_values_(values.is_common()),
      values_(allocate(values, table, dtype)),
      gradients_(allocate(gradients, table, dtype)) {}

ParameterStore::ParameterStore(const ParameterTable& table, Allocator& values, DType dtype)
    : table_(table), dtype_(dtype), common_values_(values.is_common()), values_(allocate(values, table, dtype)) {}

Tensor ParameterStore::values() const { return view(values_, dtype_, {table_.padded_count()}); }

Tensor ParameterStore::gradients() const { return view(gradients_, dtype_, {table_.padded_count()}); }

Tensor ParameterStore::variable_of(const Tensor& flat, int variable) const {
  return flat.flat(table_[variable].range).reshaped(table_[variable].shape);
}

}  // namespace lockstep
