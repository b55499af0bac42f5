#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/parameter_table.h"

namespace lockstep {

// The variables of a group as a file has them, not necessarily those of any model: name and extents.
using StoredVariables = std::map<std::string, std::vector<std::int64_t>, std::less<>>;

// Total number of values; nothing if it needs more than 64 bits. Pure.
std::optional<std::int64_t> count_values(const StoredVariables& stored);

// The match of stored variables with those of a table: two are the same if name and shape are.
struct VariableMatch {
  ParameterTable fits{};                   // the table's variables that are stored, laid out by themselves
  std::vector<std::string> differences{};  // a text for each variable that a side lacks or has in another shape
};

// Pure. there, here: names of the stored and the table's side in the texts, which escape the variables' names.
VariableMatch match_variables(const StoredVariables& stored, const ParameterTable& table,
                              std::string_view there = "the file", std::string_view here = "the model");

// The first of many differences, for a message: at most `most`, and the number of the others.
std::string first_of(std::vector<std::string> differences, std::size_t most, std::string_view separator);

}  // namespace lockstep
