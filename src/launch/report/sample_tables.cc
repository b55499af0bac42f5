#include "launch/report/sample_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/base64.h"
#include "base/counted.h"
#include "base/json_place.h"
#include "base/printable.h"
#include "data/predictions/prediction_text.h"
#include "launch/report/read_predictions.h"
#include "train/output/readable_numbers.h"

namespace lockstep {
namespace {

using Cell = SampleTable::Cell;

constexpr std::size_t kNumbersShown = 4;  // of a sample that has many
constexpr std::size_t kWorstShown = 20;
constexpr std::size_t kTopShown = 5;  // most probable classes of a row
constexpr std::size_t kMostPictureBytes = 64 << 10;
constexpr std::string_view kPictureBegin = "data:image/png;base64,";

// A member that an evaluation writes for a sample, and its title. A table has the members that its first sample has.
struct WorstMember {
  const char* name;
  const char* title;
  Cell (*cell)(const WorstMember& member, const JsonPlace& sample);  // throws JsonError for a value of another kind
};

std::string number_text(double number) {
  const bool whole = number == std::floor(number) && std::abs(number) < 1e15;
  return whole ? fmt::format("{:.0f}", number) : rounded(number);
}

Cell numbers_cell(std::span<const double> numbers) {
  std::string text;
  for (const double number : numbers.first(std::min(numbers.size(), kNumbersShown))) {
    text += (text.empty() ? "" : " ") + number_text(number);
  }
  return {.text = text + (numbers.size() > kNumbersShown ? " ..." : "")};
}

Cell number_cell(const std::string& column, double number) {
  if (column != "probability") return {.text = number_text(number)};
  return {.text = fmt::format("{:.4f}", number), .share = std::clamp(number, 0.0, 1.0)};
}

// The columns of predictions.csv by name.
class Columns {
 public:
  explicit Columns(std::span<const PredictionColumn> columns) : columns_(columns) {}

  const PredictionColumn* find(const std::string& name) const {
    const auto found = std::ranges::find(columns_, name, &PredictionColumn::name);
    return found == columns_.end() ? nullptr : &*found;
  }

 private:
  std::span<const PredictionColumn> columns_;
};

// A text in a table, in quotes, so that blanks are visible.
std::string quoted(const std::string& text) { return fmt::format("'{}'", text); }

// The most probable classes of a row, "'e' 0.31, 'a' 0.12"; "" if they were not requested.
std::string top_text(const Columns& columns, std::size_t row) {
  std::string text;
  for (std::size_t rank = 1; rank <= kTopShown; ++rank) {
    const std::string name = fmt::format("top_{}", rank);
    const PredictionColumn* const one = columns.find(name);
    if (one == nullptr) break;
    const PredictionColumn* const of_text = columns.find(name + kTextSuffix);
    text += fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ",
                        of_text != nullptr ? quoted(of_text->texts[row]) : number_text(one->values[row]),
                        columns.find(name + "_probability")->values[row]);
  }
  return text;
}

std::vector<SampleTable::Symbol> symbols_of(const Columns& columns) {
  const PredictionColumn* const targets = columns.find(std::string("target") + kTextSuffix);
  if (targets == nullptr) return {};
  std::vector<SampleTable::Symbol> symbols;
  for (std::size_t row = 0; row < targets->texts.size(); ++row) {
    symbols.push_back({.target = targets->texts[row],
                       .prediction = columns.find(std::string("prediction") + kTextSuffix)->texts[row],
                       .loss = columns.find("loss")->values[row],
                       .begins = row == 0 || columns.find("position")->values[row] == 0});
  }
  return symbols;
}

// A sample with several numbers is shown as a list of them.
SampleTable numbers_table(std::span<const PredictionColumn> columns) {
  SampleTable table{.columns = {"sample", "prediction"}};
  for (std::size_t row = 0; row < columns.front().values.size(); ++row) {
    std::vector<double> values;
    for (const auto& column : columns.subspan(1)) values.push_back(column.values[row]);
    table.rows.push_back({number_cell("sample", columns.front().values[row]), numbers_cell(values)});
  }
  return table;
}

SampleTable classes_table(std::span<const PredictionColumn> all) {
  const Columns columns(all);
  SampleTable table{.symbols = symbols_of(columns)};
  std::vector<const PredictionColumn*> shown;
  for (const PredictionColumn& column : all) {
    if (column.name.starts_with("top_") || is_text_column(column.name)) continue;
    shown.push_back(&column);
    table.columns.push_back(column.name);
  }
  if (columns.find("top_1") != nullptr) table.columns.emplace_back("most probable");
  for (std::size_t row = 0; row < std::min(all.front().values.size(), kPredictionsShown); ++row) {
    std::vector<Cell>& cells = table.rows.emplace_back();
    for (const PredictionColumn* const column : shown) {
      cells.push_back(number_cell(column->name, column->values[row]));
      const PredictionColumn* const text = columns.find(column->name + kTextSuffix);
      if (text != nullptr) cells.back().text += " " + quoted(text->texts[row]);
    }
    if (cells.size() < table.columns.size()) cells.push_back({.text = top_text(columns, row)});
  }
  return table;
}

SampleTable predictions_table(std::span<const PredictionColumn> columns) {
  const bool numbers = columns.size() > 2 && columns[1].name == "prediction_0";
  SampleTable table = numbers ? numbers_table(columns) : classes_table(columns);
  const bool symbols = columns[1].name == "position";
  table.title =
      fmt::format("Predictions, the first {}",
                  counted(static_cast<std::int64_t>(columns.front().values.size()), symbols ? "symbol" : "sample"));
  return table;
}

// A number, with the text of the symbol that it stands for, or a list of numbers.
Cell worst_number(const WorstMember& member, const JsonPlace& sample) {
  const JsonPlace value = sample.member(member.name);
  if (value.json().as<Json::Array>() == nullptr) {
    Cell cell = number_cell(member.name, value.number());
    const auto text = sample.find(std::string(member.name) + kTextSuffix);
    if (text) cell.text += " " + quoted(escaped(text->text()));
    return cell;
  }
  std::vector<double> numbers;
  for (const JsonPlace& each : value.elements()) numbers.push_back(each.number());
  return numbers_cell(numbers);
}

Cell worst_picture(const WorstMember& member, const JsonPlace& sample) {
  const JsonPlace value = sample.member(member.name);
  const std::string& uri = value.text();
  if (!uri.starts_with(kPictureBegin) || uri.size() > kMostPictureBytes) value.refuse("expected a small PNG");
  if (!decode_base64(std::string_view(uri).substr(kPictureBegin.size()))) value.refuse("it is no base64");
  return {.picture = uri};
}

constexpr WorstMember kWorstMembers[] = {{"sample", "sample", worst_number},
                                         {"position", "position", worst_number},
                                         {"picture", kPictureColumn, worst_picture},
                                         {"label", "label", worst_number},
                                         {"target", "target", worst_number},
                                         {"prediction", "prediction", worst_number},
                                         {"probability", "label's probability", worst_number},
                                         {"loss", "loss", worst_number},
                                         {"squared_error", "squared error", worst_number}};

// The table of the worst samples; none if the evaluation has not written any.
std::optional<SampleTable> worst_table(const Json& details) {
  const JsonPlace root(details);
  const std::string where =
      fmt::format("{} split, step {}", text_member(details, "split"), whole_member(details, "step"));
  SampleTable table{.title = "Worst samples, " + where};
  try {
    const auto list = root.find("worst");
    if (!list) return {};
    const std::vector<JsonPlace> worst = list->elements();
    if (worst.empty()) return {};
    if (worst.front().find("position")) table.title = "Worst symbols, " + where;
    std::vector<const WorstMember*> members;
    for (const WorstMember& member : kWorstMembers) {
      if (!worst.front().find(member.name)) continue;
      members.push_back(&member);
      table.columns.emplace_back(member.title);
    }
    for (const JsonPlace& one : std::span(worst).first(std::min(worst.size(), kWorstShown))) {
      std::vector<Cell>& cells = table.rows.emplace_back();
      for (const WorstMember* const member : members) cells.push_back(member->cell(*member, one));
    }
  } catch (const JsonError& error) {
    table.rows.clear();
    table.trouble = fmt::format("the file is damaged: {}", escaped(error.what()));
  }
  return table;
}

}  // namespace

std::vector<SampleTable> sample_tables(const Run& run) {
  std::vector<SampleTable> tables;
  if (!run.predictions.empty() && !run.predictions.front().values.empty()) {
    tables.push_back(predictions_table(run.predictions));
  }
  for (const Json& details : run.details) {
    if (auto table = worst_table(details)) tables.push_back(std::move(*table));
  }
  return tables;
}

}  // namespace lockstep
