#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep {

// One clause of an --hparams text: name=value, name=[values] or name[index]=value. Its views point into that text.
struct HParamsClause {
  std::string_view name;
  std::string index;  // without leading zeros; empty: none
  bool is_list = false;
  std::string_view value;      // for a list, the text between the brackets
  std::size_t characters = 0;  // consumed from the text, including the comma after it and the blanks after that
};

// Parses the clause at the beginning of text; returns nothing if there is none. The grammar is tensor2tensor's: a name
// is a letter and then letters, digits, '_' or '.'; blanks may stand around '=' and after the comma that ends the
// clause; a value ends at a comma and has no '[' in it; a list stands in brackets.
std::optional<HParamsClause> first_hparams_clause(std::string_view text);

}  // namespace lockstep
