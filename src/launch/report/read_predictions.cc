#include "launch/report/read_predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

#include "base/csv.h"
#include "base/error.h"
#include "base/input_file.h"
#include "base/printable.h"
#include "data/predictions/prediction_text.h"

namespace lockstep {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;  // room for 4000 numbers of each sample that is shown

[[noreturn]] void refuse(const std::string& path, std::size_t line, const std::string& why) {
  throw Error(ExitCode::bad_data, fmt::format("{}, line {}: {}", in_quotes(path), line, why));
}

// Takes a line off the text, without its line feed; none if no whole line is left.
std::optional<std::string_view> next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return {};
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

// True for the line with which a writer of predictions begins, given the number of columns.
bool is_header(std::string_view line, std::int64_t columns) {
  const std::string text = std::string(line) + "\n";
  const auto is_of = [&](PredictionForm form, std::int64_t without_top, std::int64_t of_one) {
    form.top = (columns - without_top) / of_one;
    return form.top >= 0 && text == prediction_header(form);
  };
  return columns > 1 && (is_of({.outputs = 2}, 3, 2) || is_of({.outputs = 2, .sequences = true}, 6, 2) ||
                         is_of({.outputs = 2, .sequences = true, .texts = true}, 8, 3) ||
                         text == prediction_header({.target = ProblemShape::Target::real, .outputs = columns - 1}));
}

double number_in(std::string_view field, const std::string& path, std::size_t line) {
  double number = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
  if (error != std::errc() || end != field.data() + field.size() || !std::isfinite(number)) {
    refuse(path, line, fmt::format("expected a number, found {}", in_quotes(field)));
  }
  return number;
}

}  // namespace

std::vector<PredictionColumn> first_predictions(std::string_view text, Beginning beginning, const std::string& path) {
  const auto header = next_line(text);
  const std::vector<std::string> names = csv_fields(header.value_or(""));
  if (!header || !is_header(*header, std::ssize(names))) {
    refuse(path, 1, "it is not what --schedule=predict begins with: sample,prediction,...");
  }
  std::vector<PredictionColumn> columns;
  columns.reserve(names.size());
  for (const std::string& name : names) columns.push_back({.name = name});
  const std::size_t rows = std::ranges::any_of(names, is_text_column) ? kTextsShown : kPredictionsShown;
  for (std::size_t row = 0; row < rows && !text.empty(); ++row) {
    const std::size_t number = row + 2;
    const auto line = next_line(text);
    if (!line && beginning == Beginning::cut) break;
    if (!line) refuse(path, number, "it is cut off");
    const std::vector<std::string> fields = csv_fields(*line);
    if (fields.size() != columns.size()) {
      refuse(path, number, fmt::format("expected {} numbers, found {}", columns.size(), fields.size()));
    }
    for (std::size_t at = 0; at < fields.size(); ++at) {
      if (is_text_column(columns[at].name)) {
        columns[at].texts.push_back(escaped(fields[at]));
      } else {
        columns[at].values.push_back(number_in(fields[at], path, number));
      }
    }
  }
  return columns;
}

std::vector<PredictionColumn> first_predictions(const std::string& path) {
  const std::optional<InputFile> file = InputFile::if_there(path);
  if (!file) return {};
  std::string text(kMostBytes, '\0');
  text.resize(file->read_at(0, std::as_writable_bytes(std::span(text))));
  return first_predictions(text, text.size() < kMostBytes ? Beginning::whole_file : Beginning::cut, path);
}

}  // namespace lockstep
