#include "train/schedule/predict/predict_portion.h"

namespace lockstep {

void PredictPortion::make_room(const PredictPlan::Run& of, std::int64_t rows, std::int64_t line_bytes,
                               const PredictionForm& form) {
  const auto count = static_cast<std::size_t>(rows);
  run = of;
  classes.resize(form.classes() ? count : 0);
  values.resize(count * static_cast<std::size_t>(form.values_of_row()));
  targets.resize(form.sequences ? count : 0);
  losses.resize(form.sequences ? count : 0);
  lengths.resize(form.sequences ? static_cast<std::size_t>(of.count) : 0);
  top.resize(count * static_cast<std::size_t>(form.top));
  top_probabilities.resize(top.size());
  lines.resize(static_cast<std::size_t>(line_bytes));
}

std::vector<std::span<std::byte>> PredictPortion::pieces() {
  return {std::as_writable_bytes(std::span(classes)),           std::as_writable_bytes(std::span(values)),
          std::as_writable_bytes(std::span(targets)),           std::as_writable_bytes(std::span(losses)),
          std::as_writable_bytes(std::span(lengths)),           std::as_writable_bytes(std::span(top)),
          std::as_writable_bytes(std::span(top_probabilities)), std::as_writable_bytes(std::span(lines))};
}

PredictionRows PredictPortion::rows() const {
  return {.first = run.first,
          .classes = classes,
          .values = values,
          .targets = targets,
          .losses = losses,
          .lengths = lengths,
          .top = top,
          .top_probabilities = top_probabilities};
}

}  // namespace lockstep
