#include "launch/report/run_text.h"

#include <fmt/format.h>

#include <limits>
#include <vector>

#include "base/printable.h"
#include "launch/report/comparison.h"
#include "launch/report/facts.h"
#include "launch/report/sample_tables.h"
#include "launch/report/text_curves.h"
#include "launch/report/text_table.h"

namespace lockstep {
namespace {

constexpr std::size_t kSamplesShown = 5;  // a page shows all

std::string samples_text(const SampleTable& table) {
  if (!table.trouble.empty()) return fmt::format("{}: {}\n\n", table.title, table.trouble);
  std::vector<std::vector<std::string>> rows{table.columns};
  for (const auto& cells : table.rows) {
    if (rows.size() > kSamplesShown) break;
    std::vector<std::string>& row = rows.emplace_back();
    for (const SampleTable::Cell& cell : cells) row.push_back(cell.text);
  }
  const bool more = table.rows.size() > kSamplesShown;
  return fmt::format("{}\n{}{}\n", table.title, text_table(rows), more ? "  ...\n" : "");
}

std::string about_run(const Run& run) {
  std::string text = run.name + "\n\n";
  for (const auto& [name, value] : facts_of(run)) text += fmt::format("  {:<28} {}\n", name, value);
  text += "\n";
  for (const SampleTable& table : sample_tables(run)) text += samples_text(table);
  return text;
}

}  // namespace

std::string runs_text(std::span<const Run> runs) {
  std::string text = runs.size() > 1 ? comparison_text(runs) + "\n" : "";
  for (const Run& run : runs) text += about_run(run);
  return printable_message(text + text_curves(runs), std::numeric_limits<std::size_t>::max());
}

}  // namespace lockstep
