#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/flat_range.h"
#include "tensor/shape.h"

namespace lockstep {

// One variable of a model and its place in the flat store.
struct Variable {
  std::string name;  // "dense_0/kernel"
  Shape shape;
  FlatRange range;        // its elements, without the padding after them
  bool decay = true;      // false for biases and norms, which weight decay spares
  bool trainable = true;  // false for constants that belong to the model, which no optimizer touches
  bool positive = false;  // for a constant: all its values are above 0, in checkpoints too
};

// Names, shapes and places of a model's variables, in the order the model declares them. Every variable starts at a
// multiple of kAlignment elements (64 bytes of float32); the gap after it belongs to no variable, stays zero in
// gradients, and is covered by padded(). The order is the order of parameters_sha256 and of the checkpoint.
// Filled once, then only read.
class ParameterTable {
 public:
  static constexpr std::int64_t kAlignment = 16;

  // Adds a variable, or a constant, and returns its index. A name used twice is an internal Error.
  int add(std::string name, const Shape& shape, bool decay);
  int add_constant(std::string name, const Shape& shape, bool positive = false);

  const std::vector<Variable>& variables() const { return variables_; }
  const Variable& operator[](int index) const { return variables_.at(static_cast<std::size_t>(index)); }
  std::int64_t padded_count() const { return padded_count_; }  // elements of the flat store
  std::int64_t parameter_count() const;                        // without padding

  // The flat range from variable first on up to (not including) variable last: ranges of neighbours touch.
  FlatRange padded(int first, int last) const;

  // The variable that holds flat element `at`, or the one whose padding does.
  const Variable& owner_of(std::int64_t at) const;

 private:
  std::vector<Variable> variables_;
  std::int64_t padded_count_ = 0;
};

}  // namespace lockstep
