#include "data/sequences/symbol_texts.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/printable.h"
#include "data/sequences/sequence_pair.h"

namespace lockstep {
namespace {

std::string with_double_backslashes(std::string text) {
  for (std::size_t at = 0; (at = text.find('\\', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

}  // namespace

SymbolTexts symbol_texts(const Tokenizer* tokenizer) {
  if (tokenizer == nullptr) return {};
  SymbolTexts symbols{.separator = std::string(tokenizer->separator())};
  symbols.texts.resize(static_cast<std::size_t>(tokenizer->size()));
  symbols.texts[kPadSymbol] = "<pad>";
  symbols.texts[kEndSymbol] = "<end>";
  for (std::int32_t symbol = kFirstSymbol; symbol < tokenizer->size(); ++symbol) {
    symbols.texts[static_cast<std::size_t>(symbol)] = tokenizer->decode(std::array{symbol});
  }
  return symbols;
}

std::vector<std::string> printable_texts(const SymbolTexts& symbols) {
  std::vector<std::string> texts;
  texts.reserve(symbols.texts.size());
  for (const std::string& text : symbols.texts) texts.push_back(escaped(with_double_backslashes(text)));
  return texts;
}

}  // namespace lockstep
