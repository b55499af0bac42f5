#include "launch/report/read_predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

#include "base/error.h"
#include "base/input_file.h"
#include "base/printable.h"
#include "data/prediction_text.h"

namespace lockstep {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;  // room for 4000 numbers of each sample that is shown

[[noreturn]] void refuse(const std::string& path, std::size_t line, const std::string& why) {
  throw Error(ExitCode::bad_data, fmt::format("{}, line {}: {}", in_quotes(path), line, why));
}

// Takes a line off the text, without its line feed; none where no line is whole any more.
std::optional<std::string_view> next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return {};
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t comma = line.find(','); comma != std::string_view::npos; comma = line.find(',')) {
    fields.push_back(line.substr(0, comma));
    line.remove_prefix(comma + 1);
  }
  fields.push_back(line);
  return fields;
}

// Whether a writer of predictions begins with this line.
bool is_header(std::string_view line) {
  using Target = ProblemShape::Target;
  const std::string text = std::string(line) + "\n";
  const std::int64_t outputs = std::ranges::count(line, ',');
  if (outputs == 0) return false;
  return text == prediction_header({.target = Target::class_label, .outputs = 2}) ||
         text == prediction_header({.target = Target::class_label, .outputs = 2, .sequences = true}) ||
         text == prediction_header({.target = Target::real, .outputs = outputs});
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

std::vector<MetricsTable::Column> first_predictions(std::string_view text, Beginning beginning,
                                                    const std::string& path) {
  const auto header = next_line(text);
  if (!header || !is_header(*header)) {
    refuse(path, 1, "it is not what --schedule=predict begins with: sample,prediction,...");
  }
  std::vector<MetricsTable::Column> columns;
  for (const std::string_view name : fields_of(*header)) columns.push_back({.name = std::string(name)});
  for (std::size_t row = 0; row < kPredictionsShown && !text.empty(); ++row) {
    const std::size_t number = row + 2;
    const auto line = next_line(text);
    if (!line && beginning == Beginning::cut) break;
    if (!line) refuse(path, number, "it is cut off");
    const std::vector<std::string_view> fields = fields_of(*line);
    if (fields.size() != columns.size()) {
      refuse(path, number, fmt::format("expected {} numbers, found {}", columns.size(), fields.size()));
    }
    for (std::size_t at = 0; at < fields.size(); ++at) {
      columns[at].values.push_back(number_in(fields[at], path, number));
    }
  }
  return columns;
}

std::vector<MetricsTable::Column> first_predictions(const std::string& path) {
  const std::optional<InputFile> file = InputFile::if_there(path);
  if (!file) return {};
  std::string text(kMostBytes, '\0');
  text.resize(file->read_at(0, std::as_writable_bytes(std::span(text))));
  return first_predictions(text, text.size() < kMostBytes ? Beginning::whole_file : Beginning::cut, path);
}

}  // namespace lockstep
