#include "data/sequences/symbol_texts.h"

#include <doctest/doctest.h>

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;

SymbolTexts texts_of(const TokenizerKind& kind, const char* text) { return symbol_texts(kind.make(text, {}).get()); }

}  // namespace

TEST_CASE("each symbol of a vocabulary has its text, by its number") {
  const SymbolTexts characters = texts_of(character_tokenizer(), "\n,\\é");
  CHECK(characters.texts == Texts{"<pad>", "<end>", "\n", ",", "\\", "é", "\xEF\xBF\xBD"});
  CHECK(characters.separator.empty());
  const SymbolTexts words = texts_of(word_tokenizer(), "the the \n");
  CHECK(words.texts == Texts{"<pad>", "<end>", "the", "\n", "<unk>"});
  CHECK(words.separator == " ");
  const SymbolTexts bytes = texts_of(byte_tokenizer(), "");
  REQUIRE(bytes.texts.size() == 258);
  CHECK(bytes.texts[2 + 'a'] == "a");
  CHECK(bytes.texts[2] == std::string(1, '\0'));
  CHECK(bytes.texts.back() == "\xff");
  CHECK(symbol_texts(nullptr).empty());
}

TEST_CASE("for people a text is one line, and no two short ones look the same") {
  const SymbolTexts symbols{.texts = {"\n", "\\n", "\\", "\xff", "a b", "é", "\x1b", std::string(1000, 'x')}};
  const Texts texts = printable_texts(symbols);
  CHECK(Texts(texts.begin(), texts.end() - 1) == Texts{"\\n", "\\\\n", "\\\\", "\\xff", "a b", "é", "\\x1b"});
  CHECK(texts.back() == std::string(200, 'x') + "... (1000 bytes)");
}

}  // namespace lockstep
