#include "checkpoint/variable_match.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/printable.h"

namespace lockstep {
namespace {

std::string text_of(const std::vector<std::int64_t>& extents) { return fmt::format("({})", fmt::join(extents, ", ")); }

void add(ParameterTable& table, const Variable& variable) {
  if (variable.trainable) {
    table.add(variable.name, variable.shape, variable.decay);
  } else {
    table.add_constant(variable.name, variable.shape, variable.positive);
  }
}

}  // namespace

std::optional<std::int64_t> count_values(const StoredVariables& stored) {
  std::int64_t all = 0;
  for (const auto& [name, extents] : stored) {
    std::int64_t values = 1;
    for (const std::int64_t extent : extents) {
      if (extent < 0 || __builtin_mul_overflow(values, extent, &values)) return {};
    }
    if (__builtin_add_overflow(all, values, &all)) return {};
  }
  return all;
}

VariableMatch match_variables(const StoredVariables& stored, const ParameterTable& table, std::string_view there,
                              std::string_view here) {
  VariableMatch match;
  std::set<std::string_view> known;
  for (const Variable& variable : table.variables()) {
    known.insert(variable.name);
    const auto found = stored.find(variable.name);
    if (found == stored.end()) {
      match.differences.push_back(fmt::format("{} is not in {}", escaped(variable.name), there));
    } else if (!std::ranges::equal(found->second, variable.shape.extents())) {
      match.differences.push_back(fmt::format("{} is {} in {} and {} in {}", escaped(variable.name),
                                              text_of(found->second), there, variable.shape.text(), here));
    } else {
      add(match.fits, variable);
    }
  }
  for (const auto& [name, extents] : stored) {
    if (!known.contains(name)) match.differences.push_back(fmt::format("{} is in {} alone", escaped(name), there));
  }
  return match;
}

std::string first_of(std::vector<std::string> differences, std::size_t most, std::string_view separator) {
  if (differences.size() > most) {
    const std::size_t more = differences.size() - most;
    differences.resize(most);
    differences.push_back(fmt::format("and {} more", more));
  }
  return fmt::format("{}", fmt::join(differences, separator));
}

}  // namespace lockstep
