#pragma once

#include <string>
#include <vector>

#include "data/sequences/tokenizer.h"

namespace lockstep {

// The texts that the symbols of a tokenizer stand for, by their numbers. A plain value.
struct SymbolTexts {
  std::vector<std::string> texts{};  // as in a text, not necessarily UTF-8; empty: they stand for no text
  std::string separator{};           // between two of them in a text

  bool empty() const { return texts.empty(); }
};

// The texts of a tokenizer's symbols, none without one. The padding and the end, which no text has, are <pad> and
// <end>. Pure.
SymbolTexts symbol_texts(const Tokenizer* tokenizer);

// The texts on a line each, for files and people, with the escapes of base/printable.h: \n, \x1b; a backslash is \\. A
// very long one is cut off, and its length is stated. Pure.
std::vector<std::string> printable_texts(const SymbolTexts& symbols);

}  // namespace lockstep
