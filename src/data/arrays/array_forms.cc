#include "data/arrays/array_forms.h"

#include <fmt/format.h>

#include "base/error.h"
#include "data/model_fit.h"

namespace lockstep {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error(ExitCode::bad_data, what); }

void check_inputs(const ArrayForm& inputs) {
  if (inputs.type == ElementType::uint8 || is_float(inputs.type)) return;
  refuse(
      fmt::format("{}: inputs are {}; they have to be uint8 (taken as value / 255) or floats (taken as they are). "
                  "Save inputs.astype('float32'), or, if they are symbols, train on --problem=sequences",
                  inputs.name, name(inputs.type)));
}

void check_targets(const ArrayForm& targets) {
  const Shape& extents = targets.extents;
  if (extents.rank() > 2) {
    refuse(
        fmt::format("{}: targets have the shape {}; they have to be (N) or (N, 1) class labels, or (N, K) numbers to "
                    "predict",
                    targets.name, extents.text()));
  }
  if (!is_float(targets.type) && targets.row_elements() != 1) {
    refuse(
        fmt::format("{}: targets are {} of shape {}; class labels are one integer a sample, (N) or (N, 1), and "
                    "numbers to predict are floats. Of one-hot rows take numpy's argmax(axis=1)",
                    targets.name, name(targets.type), extents.text()));
  }
}

void check_counts(const SplitArrays& arrays) {
  const ArrayForm& inputs = arrays.inputs->form();
  const ArrayForm& targets = arrays.targets->form();
  if (inputs.rows() == targets.rows()) return;
  refuse(fmt::format("{} has {} samples but {} has {}: every sample needs its target; write both again", inputs.name,
                     inputs.rows(), targets.name, targets.rows()));
}

// All splits must be of one kind: uint8 is scaled and floats are not, and class labels are not numbers to predict.
void check_same_kind(const char* what, const ArrayForm& other, const ArrayForm& train) {
  if (is_float(other.type) == is_float(train.type)) return;
  refuse(fmt::format("{} are {} in {} but {} in {}; save both alike", what, name(train.type), train.name,
                     name(other.type), other.name));
}

void check_same_rows(const char* what, const ArrayForm& other, const ArrayForm& train, bool same) {
  if (same) return;
  refuse(fmt::format("{} have the shape {} in {} but {} in {}; they must be equal except for the number of samples",
                     what, train.extents.text(), train.name, other.extents.text(), other.name));
}

void check(const SplitArrays& arrays) {
  check_inputs(arrays.inputs->form());
  if (arrays.targets == nullptr) return;
  check_targets(arrays.targets->form());
  check_counts(arrays);
}

}  // namespace

ProblemShape problem_shape_of(const SplitArrays& arrays) {
  check(arrays);
  const ArrayForm& inputs = arrays.inputs->form();
  ProblemShape shape;
  shape.input = inputs.extents.rank() == 1 ? Shape{1} : inputs.extents.without_front();
  if (arrays.targets != nullptr && is_float(arrays.targets->form().type)) {
    shape.target = ProblemShape::Target::real;
    shape.outputs = arrays.targets->form().row_elements();
  }
  return shape;
}

void check_fits(const SplitArrays& arrays, const ProblemShape& model) {
  const ProblemShape shape = problem_shape_of(arrays);
  check_inputs_fit(arrays.inputs->form().name, shape, model);
  if (arrays.targets != nullptr) check_targets_fit(arrays.targets->form().name, shape, model);
}

void check_fits(const SplitArrays& other, const SplitArrays& train) {
  check(other);
  const ArrayForm& inputs = train.inputs->form();
  const ArrayForm& other_inputs = other.inputs->form();
  const ArrayForm& targets = train.targets->form();
  const ArrayForm& other_targets = other.targets->form();
  check_same_kind("inputs", other_inputs, inputs);
  check_same_rows("inputs", other_inputs, inputs,
                  other_inputs.extents.without_front() == inputs.extents.without_front());
  check_same_kind("targets", other_targets, targets);
  check_same_rows("targets", other_targets, targets, other_targets.row_elements() == targets.row_elements());
}

}  // namespace lockstep
