#include "data/prediction_text.h"

#include <fmt/format.h>

#include <iterator>

namespace lockstep {

std::string prediction_header(const PredictionForm& form) {
  if (form.classes()) return "sample,prediction,probability\n";
  if (form.outputs == 1) return "sample,prediction\n";
  std::string text = "sample";
  for (std::int64_t output = 0; output < form.outputs; ++output) text += fmt::format(",prediction_{}", output);
  return text + "\n";
}

void append_predictions(const PredictionForm& form, const PredictionRows& rows, std::string& text) {
  const auto outputs = static_cast<std::size_t>(form.outputs);
  auto out = std::back_inserter(text);
  std::int64_t sample = rows.first;
  for (std::size_t row = 0; row * outputs < rows.values.size(); ++row, ++sample) {
    const auto values = rows.values.subspan(row * outputs, outputs);
    fmt::format_to(out, "{}", sample);
    if (form.classes()) {
      const std::int32_t predicted = rows.classes[row];
      fmt::format_to(out, ",{},{}", predicted, values[static_cast<std::size_t>(predicted)]);
    } else {
      for (const float value : values) fmt::format_to(out, ",{}", value);
    }
    text += '\n';
  }
}

}  // namespace lockstep
