#include "data/prediction_text.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <span>

namespace lockstep {
namespace {

// Of a line with so many values, each with the comma or the line's end after it: the longest are -1.1754944e-38 and
// -9223372036854775808.
constexpr std::size_t kLongestValue = 24;

// The format is parsed by the compiler: at run time, for each line, that takes five times as long as the digits.
char* put_class(char* out, std::int64_t sample, std::int32_t predicted, float probability) {
  return fmt::format_to(out, FMT_COMPILE("{},{},{}\n"), sample, predicted, probability);
}
char* put_numbers(char* out, std::int64_t sample, std::span<const float> numbers) {
  out = fmt::format_to(out, FMT_COMPILE("{}"), sample);
  for (const float number : numbers) out = fmt::format_to(out, FMT_COMPILE(",{}"), number);
  *out++ = '\n';
  return out;
}

void append_sequences(const PredictionRows& rows, std::string& text) {
  std::string line(kLongestValue * 6, '\0');
  std::size_t row = 0;
  std::int64_t sample = rows.first;
  for (const std::int32_t length : rows.lengths) {
    for (std::int32_t position = 0; position < length; ++position, ++row) {
      char* const end = fmt::format_to(line.data(), FMT_COMPILE("{},{},{},{},{},{}\n"), sample, position,
                                       rows.classes[row], rows.values[row], rows.targets[row], rows.losses[row]);
      text.append(line.data(), end);
    }
    ++sample;
  }
}

}  // namespace

std::string prediction_header(const PredictionForm& form) {
  if (form.sequences) return "sample,position,prediction,probability,target,loss\n";
  if (form.classes()) return "sample,prediction,probability\n";
  if (form.outputs == 1) return "sample,prediction\n";
  std::string text = "sample";
  for (std::int64_t output = 0; output < form.outputs; ++output) text += fmt::format(",prediction_{}", output);
  return text + "\n";
}

void append_predictions(const PredictionForm& form, const PredictionRows& rows, std::string& text) {
  if (form.sequences) return append_sequences(rows, text);
  const auto outputs = static_cast<std::size_t>(form.outputs);
  std::string line(kLongestValue * (form.classes() ? 3 : 1 + outputs), '\0');
  for (std::size_t row = 0; row * outputs < rows.values.size(); ++row) {
    const std::int64_t sample = rows.first + static_cast<std::int64_t>(row);
    const auto values = rows.values.subspan(row * outputs, outputs);
    const std::int32_t predicted = form.classes() ? rows.classes[row] : 0;
    char* const end = form.classes()
                          ? put_class(line.data(), sample, predicted, values[static_cast<std::size_t>(predicted)])
                          : put_numbers(line.data(), sample, values);
    text.append(line.data(), end);
  }
}

}  // namespace lockstep
