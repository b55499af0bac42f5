#include "launch/report/sample_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "base/counted.h"
#include "base/json_place.h"
#include "base/printable.h"
#include "train/output/figures.h"

namespace lockstep {
namespace {

using Cell = SampleTable::Cell;

constexpr std::size_t kNumbersShown = 4;  // of a sample that has many
constexpr std::size_t kWorstShown = 20;
// What an evaluation says of a sample, and what the table calls it; those that the first sample has are there.
struct WorstMember {
  const char* name;
  const char* title;
};
constexpr WorstMember kWorstMembers[] = {
    {"sample", "sample"}, {"position", "position"},          {"label", "label"},
    {"target", "target"}, {"prediction", "prediction"},      {"probability", "label's probability"},
    {"loss", "loss"},     {"squared_error", "squared error"}};

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

SampleTable predictions_table(std::span<const MetricsTable::Column> columns) {
  const std::size_t rows = columns.front().values.size();
  const bool symbols = columns[1].name == "position";
  SampleTable table{.title = fmt::format("Predictions, the first {}",
                                         counted(static_cast<std::int64_t>(rows), symbols ? "symbol" : "sample"))};
  const bool numbers = columns.size() > 2 && !symbols && columns.back().name != "probability";
  for (const auto& column : numbers ? columns.first(2) : columns) table.columns.push_back(column.name);
  if (numbers) table.columns.back() = "prediction";
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<Cell>& cells = table.rows.emplace_back();
    if (numbers) {
      std::vector<double> values;
      for (const auto& column : columns.subspan(1)) values.push_back(column.values[row]);
      cells = {number_cell("sample", columns.front().values[row]), numbers_cell(values)};
    } else {
      for (const auto& column : columns) cells.push_back(number_cell(column.name, column.values[row]));
    }
  }
  return table;
}

// Throws JsonError where it is neither a number nor a list of them.
Cell worst_cell(const std::string& column, const JsonPlace& value) {
  if (value.json().as<Json::Array>() == nullptr) return number_cell(column, value.number());
  std::vector<double> numbers;
  for (const JsonPlace& each : value.elements()) numbers.push_back(each.number());
  return numbers_cell(numbers);
}

// None where an evaluation has not written any.
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
    std::vector<std::string> names;
    for (const WorstMember& member : kWorstMembers) {
      if (!worst.front().find(member.name)) continue;
      names.emplace_back(member.name);
      table.columns.emplace_back(member.title);
    }
    for (const JsonPlace& one : std::span(worst).first(std::min(worst.size(), kWorstShown))) {
      std::vector<Cell>& cells = table.rows.emplace_back();
      for (const std::string& name : names) cells.push_back(worst_cell(name, one.member(name)));
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
