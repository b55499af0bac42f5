#include "model/parameter_store.h"

namespace lockstep {

ParameterStore::ParameterStore(const ParameterTable& table, Allocator& allocator, DType dtype, std::int64_t headroom)
    : table_(table),
      dtype_(dtype),
      headroom_(headroom),
      values_(allocator.allocate(static_cast<std::size_t>(table.padded_count()) * size_of(dtype))),
      gradients_(allocator.allocate(static_cast<std::size_t>(headroom + table.padded_count()) * size_of(dtype))) {}

ParameterStore::ParameterStore(const ParameterTable& table, Allocator& allocator, DType dtype)
    : table_(table),
      dtype_(dtype),
      headroom_(0),
      values_(allocator.allocate(static_cast<std::size_t>(table.padded_count()) * size_of(dtype))) {}

Tensor ParameterStore::values() const { return view(values_, dtype_, {table_.padded_count()}); }

Tensor ParameterStore::gradients_with_headroom() const {
  return view(gradients_, dtype_, {headroom_ + table_.padded_count()});
}

Tensor ParameterStore::gradients() const {
  return gradients_with_headroom().flat({headroom_, headroom_ + table_.padded_count()});
}

Tensor ParameterStore::variable_of(const Tensor& flat, int variable) const {
  return flat.flat(table_[variable].range).reshaped(table_[variable].shape);
}

}  // namespace lockstep
