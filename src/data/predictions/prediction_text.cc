#include "data/predictions/prediction_text.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cstddef>

#include "base/csv.h"

namespace lockstep {
namespace {

// Room for the longest value with the comma or line end after it: -1.1754944e-38 and -9223372036854775808 are the
// longest.
constexpr std::size_t kLongestValue = 24;

// The format is parsed at compile time: parsing it for each line at run time takes five times as long as the digits.
char* put_class(char* out, std::int64_t sample, std::int32_t predicted, float probability) {
  return fmt::format_to(out, FMT_COMPILE("{},{},{}"), sample, predicted, probability);
}
char* put_numbers(char* out, std::int64_t sample, std::span<const float> numbers) {
  out = fmt::format_to(out, FMT_COMPILE("{}"), sample);
  for (const float number : numbers) out = fmt::format_to(out, FMT_COMPILE(",{}"), number);
  return out;
}

char* put_top(char* out, const PredictionForm& form, const PredictionRows& rows, std::size_t row) {
  const auto top = static_cast<std::size_t>(form.top);
  for (std::size_t at = row * top; at < (row + 1) * top; ++at) {
    out = fmt::format_to(out, FMT_COMPILE(",{},{}"), rows.top[at], rows.top_probabilities[at]);
  }
  return out;
}

std::size_t longest_line(const PredictionForm& form) {
  const std::int64_t beside = form.sequences ? 6 : form.classes() ? 3 : 1 + form.outputs;
  return kLongestValue * static_cast<std::size_t>(beside + 2 * form.top);
}

void append_sequences(const PredictionForm& form, const PredictionRows& rows, std::string& text,
                      std::span<const std::string> fields) {
  std::string line(longest_line(form), '\0');
  const auto append_text = [&](std::int32_t symbol) {
    text += ',';
    text += fields[static_cast<std::size_t>(symbol)];
  };
  const auto top = static_cast<std::size_t>(form.top);
  std::size_t row = 0;
  std::int64_t sample = rows.first;
  for (const std::int32_t length : rows.lengths) {
    for (std::int32_t position = 0; position < length; ++position, ++row) {
      char* end = fmt::format_to(line.data(), FMT_COMPILE("{},{},{},{},{},{}"), sample, position, rows.classes[row],
                                 rows.values[row], rows.targets[row], rows.losses[row]);
      end = put_top(end, form, rows, row);
      text.append(line.data(), end);
      if (form.texts) {
        append_text(rows.classes[row]);
        append_text(rows.targets[row]);
        for (const std::int32_t one : rows.top.subspan(row * top, top)) append_text(one);
      }
      text += '\n';
    }
    ++sample;
  }
}

// ",top_1{after},top_2{after}"
std::string top_names(const PredictionForm& form, std::span<const std::string_view> after) {
  std::string names;
  for (std::int64_t rank = 1; rank <= form.top; ++rank) {
    for (const std::string_view one : after) names += fmt::format(",top_{}{}", rank, one);
  }
  return names;
}

}  // namespace

std::string prediction_header(const PredictionForm& form) {
  constexpr std::string_view kNumbers[] = {"", "_probability"};
  constexpr std::string_view kTexts[] = {kTextSuffix};
  if (form.sequences) {
    std::string text = "sample,position,prediction,probability,target,loss" + top_names(form, kNumbers);
    if (form.texts) text += ",prediction_text,target_text" + top_names(form, kTexts);
    return text + "\n";
  }
  if (form.classes()) return "sample,prediction,probability" + top_names(form, kNumbers) + "\n";
  if (form.outputs == 1) return "sample,prediction\n";
  std::string text = "sample";
  for (std::int64_t output = 0; output < form.outputs; ++output) text += fmt::format(",prediction_{}", output);
  return text + "\n";
}

bool is_text_column(std::string_view name) { return name.ends_with(kTextSuffix); }

std::vector<std::string> text_fields(const SymbolTexts& symbols) {
  std::vector<std::string> fields = printable_texts(symbols);
  for (std::string& field : fields) field = csv_field(field);
  return fields;
}

void append_predictions(const PredictionForm& form, const PredictionRows& rows, std::string& text,
                        std::span<const std::string> fields) {
  if (form.sequences) return append_sequences(form, rows, text, fields);
  const auto outputs = static_cast<std::size_t>(form.outputs);
  std::string line(longest_line(form), '\0');
  for (std::size_t row = 0; row * outputs < rows.values.size(); ++row) {
    const std::int64_t sample = rows.first + static_cast<std::int64_t>(row);
    const auto values = rows.values.subspan(row * outputs, outputs);
    const std::int32_t predicted = form.classes() ? rows.classes[row] : 0;
    char* end = form.classes() ? put_class(line.data(), sample, predicted, values[static_cast<std::size_t>(predicted)])
                               : put_numbers(line.data(), sample, values);
    end = put_top(end, form, rows, row);
    text.append(line.data(), end);
    text += '\n';
  }
}

}  // namespace lockstep
