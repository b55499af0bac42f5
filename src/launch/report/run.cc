#include "launch/report/run.h"

#include <algorithm>

namespace lockstep {

const MetricsTable::Column* MetricsTable::find(std::string_view column) const {
  const auto found = std::ranges::find(columns, column, &Column::name);
  return found == columns.end() ? nullptr : &*found;
}

std::vector<const MetricsTable*> tables_of(const Run& run) {
  std::vector<const MetricsTable*> tables{&run.training};
  for (const MetricsTable& table : run.evaluations) tables.push_back(&table);
  return tables;
}

std::int64_t whole_member(const Json& line, std::string_view name) {
  const Json* const member = line.find(name);
  const auto* const whole = member == nullptr ? nullptr : member->as<std::int64_t>();
  return whole == nullptr ? 0 : *whole;
}

double number_member(const Json& line, std::string_view name) {
  const Json* const member = line.find(name);
  const auto* const number = member == nullptr ? nullptr : member->as<double>();
  return number == nullptr ? static_cast<double>(whole_member(line, name)) : *number;
}

std::string text_member(const Json& line, std::string_view name) {
  const Json* const member = line.find(name);
  const auto* const text = member == nullptr ? nullptr : member->as<std::string>();
  return text == nullptr ? "" : *text;
}

}  // namespace lockstep
