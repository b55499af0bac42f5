#include "tensor/parameter_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace lockstep {

int ParameterTable::add(std::string name, const Shape& shape, bool decay) {
  for (const Variable& variable : variables_) LS_CHECK(variable.name != name, "two variables are called " + name);
  const FlatRange range{padded_count_, padded_count_ + shape.elements()};
  padded_count_ = (range.end + kAlignment - 1) / kAlignment * kAlignment;
  variables_.push_back({std::move(name), shape, range, decay});
  return static_cast<int>(variables_.size()) - 1;
}

int ParameterTable::add_constant(std::string name, const Shape& shape, bool positive) {
  const int index = add(std::move(name), shape, false);
  variables_.back().trainable = false;
  variables_.back().positive = positive;
  return index;
}

std::int64_t ParameterTable::parameter_count() const {
  std::int64_t count = 0;
  for (const Variable& variable : variables_) count += variable.range.count();
  return count;
}

FlatRange ParameterTable::padded(int first, int last) const {
  const auto count = static_cast<int>(variables_.size());
  if (first < 0 || first > last || last > count) {
    throw Error(
        ExitCode::internal,
        fmt::format("padded({}, {}) was asked for{}, of {} variables there are: it takes the numbers that "
                    "Declaration gave for a layer's first variable and, plus 1, for its last (model/layer.h)",
                    first, last, 0 <= first && first < count ? ", from " + (*this)[first].name + " on" : "", count),
        Scope::every_rank);
  }
  const auto start_of = [&](int index) {
    return index == static_cast<int>(variables_.size()) ? padded_count_ : (*this)[index].range.begin;
  };
  return {start_of(first), start_of(last)};
}

const Variable& ParameterTable::owner_of(std::int64_t at) const {
  LS_CHECK(0 <= at && at < padded_count_, "an element outside the store");
  const auto after =
      std::upper_bound(variables_.begin(), variables_.end(), at,
                       [](std::int64_t element, const Variable& variable) { return element < variable.range.begin; });
  return *(after - 1);
}

}  // namespace lockstep
