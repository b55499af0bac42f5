#include "launch/report/fact_rows.h"

#include <cstddef>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace lockstep {

std::vector<FactRow> fact_rows(std::span<const Facts> runs) {
  std::vector<FactRow> rows;
  std::unordered_map<std::string_view, std::size_t> places;  // a damaged config.json may have any number of names
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (const auto& [name, value] : runs[run]) {
      const auto [place, fresh] = places.try_emplace(name, rows.size());
      if (fresh) rows.push_back({.name = name, .values = std::vector<std::string>(runs.size())});
      rows[place->second].values[run] = value;
    }
  }
  for (FactRow& row : rows) row.differs = std::set(row.values.begin(), row.values.end()).size() > 1;
  return rows;
}

ConfigRows config_rows(std::span<const Run> runs) {
  std::vector<Facts> configs;
  for (const Run& run : runs) configs.push_back(config_of(run));
  ConfigRows rows;
  for (FactRow& row : fact_rows(configs)) (row.differs ? rows.differing : rows.same).push_back(std::move(row));
  return rows;
}

}  // namespace lockstep
