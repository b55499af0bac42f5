#include "launch/report/run_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "base/printable.h"
#include "launch/report/comparison.h"
#include "launch/report/fact_rows.h"
#include "launch/report/facts.h"
#include "launch/report/sample_tables.h"
#include "launch/report/text_curves.h"
#include "launch/report/text_table.h"

namespace lockstep {
namespace {

constexpr std::size_t kSamplesShown = 5;  // a page shows all
constexpr std::size_t kTextWidth = 72;
constexpr std::size_t kLinePairs = 2;

// The text with the predictions beneath it, at most kLinePairs such pairs of lines.
std::string symbols_text(const std::vector<SampleTable::Symbol>& symbols) {
  std::string text, targets, predictions;
  const auto end_lines = [&] {
    text += fmt::format("  true   {}\n  guess  {}\n", targets, predictions);
    targets.clear();
    predictions.clear();
  };
  std::size_t width = 0, pairs = 0;
  for (const SampleTable::Symbol& symbol : symbols) {
    const std::size_t place = symbol.is_word() ? symbol.width() + 1 : 1;
    if (!targets.empty() && (width + place > kTextWidth || symbol.begins)) {
      end_lines();
      width = 0;
      if (++pairs == kLinePairs) return text + "  ...\n";
    }
    targets += symbol.target + std::string(place - characters_in(symbol.target), ' ');
    predictions += symbol.prediction + std::string(place - characters_in(symbol.prediction), ' ');
    width += place;
  }
  if (!targets.empty()) end_lines();
  return text;
}

std::string samples_text(const SampleTable& table) {
  if (!table.trouble.empty()) return fmt::format("{}: {}\n\n", table.title, table.trouble);
  std::vector<std::vector<std::string>> rows(1);
  for (const std::string& column : table.columns) {
    if (column != kPictureColumn) rows.front().push_back(column);
  }
  for (const auto& cells : table.rows) {
    if (rows.size() > kSamplesShown) break;
    std::vector<std::string>& row = rows.emplace_back();
    for (const SampleTable::Cell& cell : cells) {
      if (cell.picture.empty()) row.push_back(cell.text);
    }
  }
  const bool more = table.rows.size() > kSamplesShown;
  return fmt::format("{}\n{}{}{}\n", table.title, symbols_text(table.symbols), text_table(rows), more ? "  ...\n" : "");
}

// The differences in how runs were configured; "" if there are none.
std::string differences_text(std::span<const Run> runs) {
  std::vector<std::vector<std::string>> rows{{"what differs"}};
  for (const Run& run : runs) rows.front().push_back(run.name);
  for (const FactRow& row : config_rows(runs).differing) {
    std::vector<std::string>& cells = rows.emplace_back(1, row.name);
    for (const std::string& value : row.values) cells.push_back(value.empty() ? "-" : value);
  }
  return rows.size() > 1 ? text_table(rows) + "\n" : "";
}

std::string about_run(const Run& run) {
  std::string text = run.name + "\n\n";
  const Facts facts = facts_of(run);
  std::size_t names = 0;
  for (const auto& [name, value] : facts) names = std::max(names, name.size());
  for (const auto& [name, value] : facts) text += fmt::format("  {:<{}}  {}\n", name, names, value);
  text += "\n";
  for (const SampleTable& table : sample_tables(run)) text += samples_text(table);
  return text;
}

}  // namespace

std::string runs_text(std::span<const Run> runs) {
  std::string text = runs.size() > 1 ? comparison_text(runs) + "\n" + differences_text(runs) : "";
  for (const Run& run : runs) text += about_run(run);
  return printable_message(text + text_curves(runs), std::numeric_limits<std::size_t>::max());
}

}  // namespace lockstep
