#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/parameter_table.h"

namespace lockstep {

// The variables of a group as a file has them, which need not be those of any model: name and extents.
using StoredVariables = std::map<std::string, std::vector<std::int64_t>, std::less<>>;

// How many values they have in all; nothing if that is more than 64 bits count. Pure.
std::optional<std::int64_t> count_values(const StoredVariables& stored);

// How stored variables and those of a table go together: two are the same if name and shape are.
struct VariableMatch {
  ParameterTable fits{};                   // the table's variables that are stored, laid out by themselves
  std::vector<std::string> differences{};  // what one of the two has alone, or in another shape, a text each
};

// Pure. Names from the file are escaped in the texts. there, here: what the texts call the two.
VariableMatch match_variables(const StoredVariables& stored, const ParameterTable& table,
                              std::string_view there = "the file", std::string_view here = "the model");

// The first of many differences, for a message: those that it has room for, and how many there are beyond.
std::string first_of(std::vector<std::string> differences, std::size_t most, std::string_view separator);

}  // namespace lockstep
