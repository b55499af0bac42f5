#include "data/model_fit.h"

#include <fmt/format.h>

#include "base/error.h"

namespace lockstep {
namespace {

constexpr const char* kFitCure = "give data like those it was trained on, or the checkpoint of another model";

[[noreturn]] void refuse_data(const std::string& where, const std::string& data, const std::string& model) {
  throw Error(ExitCode::bad_data,
              fmt::format("{}: {}, but the model was made for {}; {}", where, data, model, kFitCure));
}

std::string text_of(DType type) { return type == DType::int32 ? "numbers of symbols (int32)" : "numbers (float32)"; }

std::string text_of_targets(const ProblemShape& shape) {
  if (shape.target == ProblemShape::Target::class_label) return "class labels";
  return fmt::format("{} {} to predict", shape.outputs, shape.outputs == 1 ? "number" : "numbers");
}

}  // namespace

void check_inputs_fit(const std::string& where, const ProblemShape& data, const ProblemShape& model) {
  if (data.input != model.input) {
    refuse_data(where, fmt::format("the inputs of a sample have the shape {}", data.input.text()), model.input.text());
  }
  if (data.input_type != model.input_type) {
    refuse_data(where, fmt::format("inputs are {}", text_of(data.input_type)), text_of(model.input_type));
  }
  if (data.vocabulary > model.vocabulary) {
    refuse_data(where, fmt::format("there are {} symbols", data.vocabulary), fmt::format("{}", model.vocabulary));
  }
}

void check_targets_fit(const std::string& where, const ProblemShape& data, const ProblemShape& model) {
  const bool numbers = data.target == ProblemShape::Target::real;
  if (data.target != model.target || (numbers && data.outputs != model.outputs)) {
    refuse_data(where, fmt::format("targets are {}", text_of_targets(data)), text_of_targets(model));
  }
  if (data.outputs > model.outputs) {
    refuse_data(where, fmt::format("there are {} classes", data.outputs), fmt::format("{}", model.outputs));
  }
}

}  // namespace lockstep
